// Which pages of other origins may read an answer in a browser (the Fetch standard, CORS). The answers to
// preflight requests come from API Gateway: `lib/infra/preflight.ts`.
import type { HeaderValues } from '#lib/access/credential.ts';
import { optionalEnv } from '#lib/env.ts';
import type { ProxyAnswer } from './answer.ts';
import type { Route } from './route.ts';

/** The request headers that pages may set. */
export const allowedHeaders = [
  'A2A-Version',
  'A2A-Extensions',
  'X-A2A-Extensions',
  'X-API-Key',
  'Authorization',
  'Content-Type',
  'If-None-Match',
  'If-Modified-Since',
  'MCP-Protocol-Version',
  'Mcp-Method',
  'Mcp-Name',
  'traceparent',
  'tracestate',
] as const;

/** The answer headers that pages may read, beside those that every page may. */
const exposedHeaders = [
  'A2A-Extensions',
  'X-A2A-Extensions',
  'WWW-Authenticate',
  'ETag',
  'Link',
  'Retry-After',
  'RateLimit',
  'RateLimit-Policy',
  'X-Request-Id',
].join(', ');

export const anyOrigin = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': exposedHeaders,
} as const;

/** For an answer that a handler has not opened to every page. Credentials are headers, never cookies. */
export function corsHeaders(
  { crossOrigin }: Pick<Route, 'crossOrigin'>,
  { origin: sent = [] }: HeaderValues,
  answer: Pick<ProxyAnswer, 'statusCode' | 'headers'>,
): Readonly<Record<string, string>> {
  const origins = optionalEnv('BROWSER_ORIGINS')?.split(',') ?? [];
  if (crossOrigin === 'all' && answer.statusCode >= 400) return anyOrigin;
  if (!crossOrigin || origins.length === 0 || 'access-control-allow-origin' in answer.headers) return {};
  const [origin] = sent;
  // A cache must not give the answer for one origin to another.
  if (origin === undefined || !origins.includes(origin)) return { vary: 'Origin' };
  return { ...anyOrigin, 'access-control-allow-origin': origin, vary: 'Origin' };
}
