// Checks of a URL before anything is sent to it: scheme, credentials, host and address.
import { lookup as dnsLookup } from 'node:dns';
import { isIP } from 'node:net';
import { isListed } from '#lib/flow/format/egress.ts';
import { EgressError } from './egress-error.ts';
import { type EgressPolicy, isAllowedPrivate } from './egress-policy.ts';
import { guardedLookup, isPublicAddress, notPublic, type Resolve } from './public-address.ts';

/** The order of the checks only decides which message is shown. */
export function checkTarget(url: URL, policy: EgressPolicy, egress?: readonly string[]): void {
  const host = url.hostname;
  const isExempt = isAllowedPrivate(url, policy);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isExempt)) {
    throw new EgressError('egress.scheme', `Only https is allowed, not ${url.protocol.slice(0, -1)}.`);
  }
  if (url.username || url.password) {
    throw new EgressError(
      'egress.credentials_in_url',
      `The URL for "${host}" carries a user name or password.`,
    );
  }
  if (egress && !isListed(url, egress)) {
    throw new EgressError(
      'egress.host_not_listed',
      `The host "${url.host}" is not in the egress list of the flow.`,
    );
  }
  const address = host.replace(/^\[|\]$/g, '');
  if (!isExempt && isIP(address) && !isPublicAddress(address)) throw notPublic(host);
}

const resolveMs = 2_000;

/**
 * Throws `EgressError` for a URL that the guarded fetch refuses now, so that whoever stores the URL learns of
 * it. A name that does not resolve within two seconds is accepted. The guarded fetch checks again, since a name
 * may lead elsewhere by then.
 */
export async function checkStoredTarget(
  text: string,
  policy: EgressPolicy,
  resolve: Resolve = dnsLookup,
): Promise<void> {
  const url = new URL(text);
  checkTarget(url, policy);
  if (isAllowedPrivate(url, policy)) return;
  const lookup = guardedLookup(resolve, isPublicAddress);
  await new Promise<void>((done, refuse) => {
    const timer = setTimeout(done, resolveMs);
    lookup(url.hostname, { all: true }, (error) => {
      clearTimeout(timer);
      if (error instanceof EgressError) refuse(error);
      else done();
    });
  });
}
