// Fetches the metadata documents of clients whose id is a URL. Anybody can make the service fetch one, so it goes through
// the guarded fetch, without redirects, and is small.
import { parseEgressPolicy } from '#lib/egress/egress-policy.ts';
import { createGuardedFetch } from '#lib/egress/guarded-fetch.ts';
import { optionalEnv } from '#lib/env.ts';
import { findRequestState } from './request-state.ts';

const limits = { headersMs: 2_500, bodyMs: 2_500, responseBytesMax: 16 * 1024 };

type Fetched = Pick<RequestInit, 'signal'>;

/** When oidc-provider answers an error, it looks for the client again, with the same result. */
export async function fetchDocument(url: string | URL | Request, init: Fetched = {}): Promise<Response> {
  const documents = findRequestState()?.documents;
  const address = url instanceof Request ? url.url : url.toString();
  const document = documents?.get(address) ?? fetchGuarded(address, init);
  documents?.set(address, document);
  return (await document).clone();
}

async function fetchGuarded(address: string, { signal }: Fetched): Promise<Response> {
  const fetch = createGuardedFetch(parseEgressPolicy(optionalEnv('EGRESS_ALLOW_PRIVATE')));
  const response = await fetch(address, {
    headers: { accept: 'application/json' },
    redirect: 'manual',
    limits,
    ...(signal && { signal }),
  });
  if (response.status !== 200) throw new Error(`The document was answered with ${response.status}.`);
  return new Response(await response.text(), { headers: response.headers });
}
