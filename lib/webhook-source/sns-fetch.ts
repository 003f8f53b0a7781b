// Requests to Amazon SNS: for certificates, and to confirm subscriptions. The caller has checked the host.
import { parseEgressPolicy } from '#lib/egress/egress-policy.ts';
import { createGuardedFetch, type GuardedFetch } from '#lib/egress/guarded-fetch.ts';
import { optionalEnv } from '#lib/env.ts';
import { ServiceError } from '#lib/errors.ts';

const limits = { headersMs: 4_000, bodyMs: 2_000, responseBytesMax: 32 * 1024 };
let fetchGuarded: GuardedFetch | undefined;

/** Undefined if SNS refuses the request. Where it does not answer, its next attempt may succeed: 503. */
export async function fetchFromSns(url: URL): Promise<string | undefined> {
  fetchGuarded ??= createGuardedFetch(parseEgressPolicy(optionalEnv('EGRESS_ALLOW_PRIVATE')));
  try {
    const response = await fetchGuarded(locate(url), { redirect: 'manual', limits });
    const text = await response.text();
    if (response.status === 200) return text;
    if (response.status < 500) return undefined;
    throw new Error(`SNS answered with the status ${response.status}.`);
  } catch (cause) {
    throw new ServiceError('dependency_unavailable', { cause });
  }
}

/** The variable replaces the endpoint of SNS as for the SDKs of AWS, on the local host and in tests. */
function locate(url: URL): URL {
  const endpoint = process.env.AWS_ENDPOINT_URL_SNS;
  return endpoint === undefined ? url : new URL(`${url.pathname}${url.search}`, endpoint);
}
