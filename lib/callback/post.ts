// One attempt to tell a receiver that a run is over: signed, through the guarded fetch, without redirects, within 15 s.

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
  const outcome = await outcomeOf(url, view, startedAt);
  return { at: new Date(startedAt).toISOString(), duration_ms: Date.now() - startedAt, ...outcome };
}

async function outcomeOf(
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
    // What a receiver says beyond its status is not read: it is nobody's business here.
    await response.body?.cancel();
    return { status: response.status };
  } catch (error) {
    return { error: classOf(error) };
  }
}

/** Never the message of an error, which may tell of the receiver's network. */
function classOf(error: unknown): string {
  if (error instanceof EgressError) return error.code === 'egress.timeout' ? 'timeout' : error.code;
  return error instanceof Error && error.name === 'TimeoutError' ? 'timeout' : 'network';
}
