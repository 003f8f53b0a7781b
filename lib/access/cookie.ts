// The cookies of the service: that of a session, and that of a sign-in in progress.
import { requireEnv } from '#lib/env.ts';

export type CookieName = 'session' | 'sign-in';

/**
 * Browsers accept the prefix only over https (RFC 6265bis §4.1.3.2); Safari refuses it, and `Secure`, on loopback. With
 * it, no other host of the domain can set the cookie.
 */
const fullName = (name: CookieName) => `${isHttps() ? '__Host-' : ''}agent-flow-${name}`;
const isHttps = () => requireEnv('GATEWAY_URL').startsWith('https:');

/** `Lax`: links in mails, and the answer of an identity provider, are navigations from other sites. */
export const makeCookie = (name: CookieName, value: string, maxAgeSeconds: number): string =>
  `${fullName(name)}=${value}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${maxAgeSeconds}${isHttps() ? '; Secure' : ''}`;

export const clearCookie = (name: CookieName): string => makeCookie(name, '', 0);

/** All values of a cookie in the `Cookie` headers of a request, whose values may be joined by commas or sent apart. */
export function readCookies(headers: readonly string[], name: CookieName): string[] {
  if (headers.length === 0) return [];
  const start = `${fullName(name)}=`;
  const pairs = headers.flatMap((header) => header.split(/[;,]/)).map((pair) => pair.trim());
  return pairs.filter((pair) => pair.startsWith(start)).map((pair) => pair.slice(start.length));
}

/** 256 bits, as the values of both cookies have them. Undefined for a missing value, several, and another form. */
export function readCookie(header: string | undefined, name: CookieName): string | undefined {
  const [value, ...others] = readCookies(header === undefined ? [] : [header], name);
  return value !== undefined && others.length === 0 && /^[\w-]{43}$/.test(value) ? value : undefined;
}
