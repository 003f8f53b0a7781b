// Refuses what a page of another site makes a browser send with the session of its user (cross-site request forgery).
import { type HeaderValues, hasSession } from '#lib/access/credential.ts';
import { requireEnv } from '#lib/env.ts';
import { ServiceError } from '#lib/errors.ts';

/** A page of another origin cannot set it without a preflight request, which no answer allows. */
const sessionHeader = 'x-session-request';

const beginning = 'With a session, methods other than GET need';

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS']);

/** All three checks, for unsafe methods (RFC 9110 §9.2.1) with a session. */
export function requireOwnPage(method: string, headers: HeaderValues): void {
  if (safeMethods.has(method) || !hasSession(headers)) return;
  requireOwnOrigin(headers);
  if (headers[sessionHeader]?.[0] === '1') return;
  throw crossSite(`${beginning} X-Session-Request: 1.`);
}

/** `Origin` must be that of the service. Browsers that know `Sec-Fetch-Site` send it too. */
export function requireOwnOrigin({ origin = [], 'sec-fetch-site': site = [] }: HeaderValues): void {
  const own = new URL(requireEnv('GATEWAY_URL')).origin;
  const isOwn = origin.length === 1 && origin[0] === own && site.every((each) => each === 'same-origin');
  if (!isOwn)
    throw crossSite(`${beginning} Origin: ${own}, and same-origin in Sec-Fetch-Site if it is sent.`);
}

const crossSite = (detail: string) => new ServiceError('cross_site_request', { detail });
