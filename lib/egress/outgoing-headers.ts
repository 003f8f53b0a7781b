// Which request headers may be set, and which may follow a redirect to another host.
import { EgressError } from './egress-error.ts';

/**
 * Hop-by-hop (RFC 9110 §7.6.1) and framing headers belong to the connection; setting them allows request
 * smuggling.
 */
const reserved = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'http2-settings',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

export const isReservedHeader = (name: string): boolean => reserved.has(name.toLowerCase());

/** A list of allowed headers, because a list of forbidden ones would miss the next vendor's key header. */
const harmless = new Set([
  'accept',
  'accept-language',
  'content-language',
  'content-type',
  'idempotency-key',
  'traceparent',
  'user-agent',
]);

const namePattern = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** RFC 9110 §5.5: no control characters; bytes above 0x7f are allowed, wider characters are not. */
const valuePattern = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Throws at the first header that must not be sent. Names the header, never its value. */
export function checkHeaders(headers: Iterable<readonly [string, string]>): void {
  for (const [name, value] of headers) {
    if (!namePattern.test(name))
      throw new EgressError('egress.header', 'A header name has a character that HTTP forbids.');
    if (isReservedHeader(name)) {
      throw new EgressError(
        'egress.header',
        `The header "${name}" is set by the connection and cannot be given.`,
      );
    }
    if (!valuePattern.test(value)) {
      throw new EgressError(
        'egress.header',
        `The header "${name}" has a line break or another character that HTTP forbids.`,
      );
    }
  }
}

/** The header pairs of any form that `fetch` accepts, before `Headers` normalizes them. */
export function headerPairs(headers: RequestInit['headers']): (readonly [string, string])[] {
  if (!headers) return [];
  const pairs = Symbol.iterator in headers ? [...headers] : Object.entries(headers);
  return pairs.map(([name, value]) => [String(name), String(value)] as const);
}

/** The headers that are kept when a redirect leaves the origin. */
export const harmlessHeaders = (headers: Headers) =>
  new Headers([...headers].filter(([name]) => harmless.has(name)));

/** The headers that are kept when a redirect changes the method to GET and drops the body. */
export const withoutContent = (headers: Headers) =>
  new Headers([...headers].filter(([name]) => !name.startsWith('content-')));
