// Adds the credential of a connection to requests across redirects. It is never part of the request that the
// guarded fetch keeps: each round trip to the credential's own origin adds it again, so it cannot reach
// another origin under any header or parameter.
import type { Secret } from '#lib/secret.ts';
import { EgressError } from './egress-error.ts';
import type { OutgoingRequest } from './http-round-trip.ts';
import { redactSecrets } from './redact.ts';

export type Credential = AddedValue | Signature;

export interface AddedValue {
  readonly to: 'header' | 'query';
  readonly name: string;
  readonly value: Secret;
  /** All forms in which a host could repeat it. */
  readonly secrets: readonly Secret[];
}

/** Made for each round trip, over all that is sent. */
export interface Signature {
  readonly to: 'signature';
  readonly sign: (request: OutgoingRequest) => Promise<OutgoingRequest>;
  readonly secrets: readonly Secret[];
}

/**
 * The request as it is sent: the credential replaces a header or parameter of the same name from the flow.
 */
export async function withCredential(
  request: OutgoingRequest,
  credential: Credential,
): Promise<OutgoingRequest> {
  if (credential.to === 'signature') return await credential.sign(request);
  const { to, name, value } = credential;
  if (to === 'query') {
    const url = new URL(request.url);
    url.searchParams.set(name, value.reveal());
    return { ...request, url };
  }
  const headers = new Headers(request.headers);
  headers.set(name, value.reveal());
  return { ...request, headers };
}

/**
 * The target of a redirect without the added parameter, because many servers repeat the whole query in
 * `Location`.
 */
export function withoutCredential(target: URL, credential: Credential): URL {
  if (credential.to !== 'query') return target;
  const { name, value } = credential;
  if (!target.searchParams.has(name, value.reveal())) return target;
  const url = new URL(target);
  url.searchParams.delete(name, value.reveal());
  return url;
}

/** Refuses a redirect whose URL contains the credential, such as one to a sign-in page with a return URL. */
export function requireNoSecret(target: URL, from: URL, { secrets }: Credential): void {
  if (redactSecrets(target.href, secrets) === target.href) return;
  throw new EgressError(
    'egress.redirects',
    `The host "${from.hostname}" repeats the credential in a redirect to another host.`,
  );
}
