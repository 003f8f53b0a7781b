// Makes one attempt of a delivery: a POST through the guarded fetch, without redirects, within 15 s.
import { EgressError } from '#lib/egress/egress-error.ts';
import { parseEgressPolicy } from '#lib/egress/egress-policy.ts';
import { createGuardedFetch, type GuardedFetch } from '#lib/egress/guarded-fetch.ts';
import { optionalEnv } from '#lib/env.ts';
import type { Attempt } from './attempt.ts';

export const timeoutMs = 15_000;
/** A response of a run has 4 MB at most, and its log 500 entries of a little more than 1 KB. */
const limits = { requestBytesMax: 8 * 1024 ** 2, headersMs: timeoutMs, bodyMs: timeoutMs };

let fetchGuarded: GuardedFetch | undefined;

interface DeliveryRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export async function postOnce(url: string, request: DeliveryRequest): Promise<Attempt> {
  const startedAt = Date.now();
  const outcome = await send(url, request);
  return { at: new Date(startedAt).toISOString(), duration_ms: Date.now() - startedAt, ...outcome };
}

async function send(
  url: string,
  { headers, body }: DeliveryRequest,
): Promise<Pick<Attempt, 'status' | 'error'>> {
  fetchGuarded ??= createGuardedFetch(parseEgressPolicy(optionalEnv('EGRESS_ALLOW_PRIVATE')));
  try {
    const response = await fetchGuarded(url, {
      method: 'POST',
      headers: { 'user-agent': 'agent-flow', ...headers },
      body,
      redirect: 'manual',
      limits,
      signal: AbortSignal.timeout(timeoutMs),
    });
    // Only the status of the response matters.
    await response.body?.cancel();
    return { status: response.status };
  } catch (error) {
    return { error: toErrorCode(error) };
  }
}

/** The message of the error is not used, because it may contain details of the receiver's network. */
function toErrorCode(error: unknown): string {
  if (error instanceof EgressError) return error.code === 'egress.timeout' ? 'timeout' : error.code;
  return error instanceof Error && error.name === 'TimeoutError' ? 'timeout' : 'network';
}
