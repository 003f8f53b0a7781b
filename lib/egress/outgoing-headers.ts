// Request headers on their way out: which may be set, and which may follow a redirect to another host.
import { EgressError } from './egress-error.ts';

/** Hop-by-hop (RFC 9110 §7.6.1) and framing headers belong to the connection; whoever sets them can smuggle a second request. */
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

/** A list of what may travel on, because a list of what may not would miss the next vendor's key header. */
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

/** The pairs of any way to write headers, before `Headers` trims or quotes them. */
export function headerPairs(headers: RequestInit['headers']): (readonly [string, string])[] {
  if (!headers) return [];
  const pairs = Symbol.iterator in headers ? [...headers] : Object.entries(headers);
  return pairs.map(([name, value]) => [String(name), String(value)] as const);
}

/** What is left of a flow's headers when a redirect leaves the origin: what it says to the first host is not for the second. */
export const harmlessHeaders = (headers: Headers) =>
  new Headers([...headers].filter(([name]) => harmless.has(name)));

/** What is left when a redirect turns the method into GET: nothing speaks of a body any more. */
export const withoutContent = (headers: Headers) =>
  new Headers([...headers].filter(([name]) => !name.startsWith('content-')));
