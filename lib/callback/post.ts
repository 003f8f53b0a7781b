// Makes one attempt to deliver a callback: signed, through the guarded fetch, without redirects, within 15 s.
import { EgressError } from '#lib/egress/egress-error.ts';
import { parseEgressPolicy } from '#lib/egress/egress-policy.ts';
import { createGuardedFetch, type GuardedFetch } from '#lib/egress/guarded-fetch.ts';
import { optionalEnv } from '#lib/env.ts';
import { type RunView, runState } from '#lib/run/state.ts';
import { secretsInForce } from '#lib/webhook-secret/encrypted-secret.ts';
import { signatureHeaders } from '#lib/webhook-secret/signature.ts';
import type { Attempt } from './delivery.ts';

const timeoutMs = 15_000;
/** A response has 4 MB at most, and a log 500 entries of a little more than 1 KB. */
const limits = { requestBytesMax: 8 * 1024 ** 2, headersMs: timeoutMs, bodyMs: timeoutMs };

let fetchGuarded: GuardedFetch | undefined;

export async function postCallback(url: string, view: RunView): Promise<Attempt> {
  const startedAt = Date.now();
  const outcome = await attemptPost(url, view, startedAt);
  return { at: new Date(startedAt).toISOString(), duration_ms: Date.now() - startedAt, ...outcome };
}

async function attemptPost(
  url: string,
  view: RunView,
  nowMs: number,
): Promise<Pick<Attempt, 'status' | 'error'>> {
  const { orgid, workspaceid, run_id } = view.run;
  const secrets = await secretsInForce({ orgid, workspaceid }, nowMs);
  if (secrets.length === 0) return { error: 'no_secret' };
  const body = JSON.stringify({
    type: `run.${view.status}`,
    timestamp: view.updatedAt,
    data: runState(view),
  });
  const timestamp = String(Math.floor(nowMs / 1_000));
  fetchGuarded ??= createGuardedFetch(parseEgressPolicy(optionalEnv('EGRESS_ALLOW_PRIVATE')));
  try {
    const response = await fetchGuarded(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'agent-flow',
        ...signatureHeaders(secrets, { id: run_id, timestamp, body }),
      },
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
