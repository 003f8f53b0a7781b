// Where the browser goes after a sign-in: only to pages of this service, so that no link to it leads elsewhere.
import { requireEnv } from '#lib/env.ts';
import { ServiceError } from '#lib/errors.ts';

export const sessionPagePath = (): string => `${basePath()}/auth/session`;

export const signInUrl = (): string => `${requireEnv('GATEWAY_URL')}/auth/login`;

/** The part of the address before the paths of the route table: that of a stage, or nothing. */
const basePath = (): string => new URL(requireEnv('GATEWAY_URL')).pathname.replace(/\/$/, '');

/** A path with one slash first: two, and any backslash, would name another host. */
export function parseReturnPath(text: string | undefined): string {
  if (text === undefined) return sessionPagePath();
  const url = parseLocation(text);
  if (url && isReturnable(url)) return toPath(url);
  const detail =
    'must be the path of a page of this service, such as /auth/session, and none that signs in or out';
  throw new ServiceError('validation_failed', { errors: [{ pointer: '/query/return_to', detail }] });
}

/** As a browser does; null for what is no path. */
const parseLocation = (text: string): URL | null =>
  /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(text) ? URL.parse(text, requireEnv('GATEWAY_URL')) : null;

const toPath = ({ pathname, search, hash }: URL): string => `${pathname}${search}${hash}`;

/** A sign-in that leads to another one would never end. Shortened, `/a/..//host` is `//host`, another address. */
function isReturnable(url: URL): boolean {
  const { pathname } = url;
  if (parseLocation(toPath(url))?.href !== url.href) return false;
  if (pathname === sessionPagePath()) return true;
  return pathname.startsWith(`${basePath()}/`) && !pathname.startsWith(`${basePath()}/auth/`);
}
