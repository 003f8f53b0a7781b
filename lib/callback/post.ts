// Makes one attempt to deliver a callback, signed with the secrets of the workspace.
import type { Attempt } from '#lib/delivery/attempt.ts';
import { postOnce } from '#lib/delivery/post.ts';
import { type RunView, runState } from '#lib/run/state.ts';
import { secretsInForce } from '#lib/webhook-secret/encrypted-secret.ts';
import { signatureHeaders } from '#lib/webhook-secret/signature.ts';

export async function postCallback(url: string, view: RunView): Promise<Attempt> {
  const now = new Date();
  const { orgid, workspaceid, run_id } = view.run;
  const secrets = await secretsInForce({ orgid, workspaceid }, now.getTime());
  if (secrets.length === 0) return { at: now.toISOString(), duration_ms: 0, error: 'no_secret' };
  const body = JSON.stringify({
    type: `run.${view.status}`,
    timestamp: view.statusTimestamp,
    data: runState(view),
  });
  const timestamp = String(Math.floor(now.getTime() / 1_000));
  const signature = signatureHeaders(secrets, { id: run_id, timestamp, body });
  return await postOnce(url, { headers: { 'content-type': 'application/json', ...signature }, body });
}
