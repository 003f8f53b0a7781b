// The credential of a connection on its way through redirects. It is never part of the request that the guarded fetch keeps: each round
// trip to the origin it is meant for gets it anew, so that no other origin can be sent it, whatever its header or parameter is called.
import type { Secret } from '#lib/secret.ts';
import { EgressError } from './egress-error.ts';
import type { Hop } from './http-round-trip.ts';
import { withoutSecrets } from './redact.ts';

export interface Credential {
  readonly to: 'header' | 'query';
  readonly name: string;
  readonly value: Secret;
  /** All forms in which a host could repeat it. */
  readonly secrets: readonly Secret[];
}

/** The request as it is sent: the credential takes the place of a header or parameter of that name that the flow has given. */
export function withCredential(hop: Hop, { to, name, value }: Credential): Hop {
  if (to === 'query') {
    const url = new URL(hop.url);
    url.searchParams.set(name, value.reveal());
    return { ...hop, url };
  }
  const headers = new Headers(hop.headers);
  headers.set(name, value.reveal());
  return { ...hop, headers };
}

/** The target of a redirect without the parameter that was added: many servers repeat the whole query in `Location`. */
export function withoutCredential(target: URL, { to, name, value }: Credential): URL {
  if (to !== 'query' || !target.searchParams.has(name, value.reveal())) return target;
  const url = new URL(target);
  url.searchParams.delete(name, value.reveal());
  return url;
}

/** Refuses a redirect that hands the credential on inside its URL, such as one to a sign-in page that names where to return. */
export function requireNoSecret(target: URL, from: URL, { secrets }: Credential): void {
  if (withoutSecrets(target.href, secrets) === target.href) return;
  throw new EgressError(
    'egress.redirects',
    `The host "${from.hostname}" repeats the credential in a redirect to another host.`,
  );
}
