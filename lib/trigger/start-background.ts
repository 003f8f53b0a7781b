// The background trigger: the run is stored and queued, and the caller polls its state. With an
// Idempotency-Key the run has the id that the key stands for today, so that a request that is sent again
// finds the run.
import { type Caller, requireWorkspace } from '#lib/access/caller.ts';
import { ServiceError } from '#lib/errors.ts';
import { computeFingerprint } from '#lib/fingerprint.ts';
import { newRunId } from '#lib/ids.ts';
import { requireFitting } from '#lib/run/require-fitting.ts';
import { readRun } from '#lib/run/run-items.ts';
import { enqueueRun } from '#lib/run/run-queue.ts';
import { startQueued } from '#lib/run/start.ts';
import type { StoredRun } from '#lib/run/stored-run.ts';
import type { StartBody } from '#lib/run/trigger.ts';
import type { TraceContext } from '#lib/trace-context.ts';
import { applyDefaults, findFiles, resolveTrigger } from './resolve-trigger.ts';
import { resolveKeyRunId } from './start-key-items.ts';
import type { TriggerPath } from './start-trigger.ts';

interface BackgroundOptions {
  readonly idempotencyKey: string | undefined;
  readonly trace?: TraceContext | undefined;
}

export async function startBackground(
  caller: Caller,
  path: TriggerPath,
  body: StartBody,
  { idempotencyKey, trace }: BackgroundOptions,
): Promise<StoredRun> {
  requireWorkspace(caller, path.workspace_id);
  const fingerprint = computeFingerprint([path.workspace_id, path.trigger_id, path.environment, body]);
  const runId =
    idempotencyKey === undefined
      ? newRunId()
      : await resolveKeyRunId({ orgid: caller.orgid, callerId: caller.id, key: idempotencyKey }, Date.now());
  const known = idempotencyKey === undefined ? undefined : await readRun(runId);
  if (known) return await sendAgain(known, fingerprint);
  const { row, settings, environment, defaults, trigger } = await resolveTrigger(caller, {
    workspaceid: path.workspace_id,
    triggerId: path.trigger_id,
    environment: path.environment,
    kind: 'background',
  });
  const input = {
    ...applyDefaults(defaults, body),
    ...(await findFiles(caller, path.workspace_id, body)),
  };
  requireFitting(input);
  const callbackUrl = body.callback_url ?? trigger?.callback_url;
  const run = await startQueued({
    runId,
    row,
    caller,
    trigger: 'background',
    triggerId: path.trigger_id,
    environment,
    keepInput: JSON.stringify(input),
    settings,
    trace,
    ...(callbackUrl !== undefined && { callbackUrl }),
    ...(idempotencyKey !== undefined && { fingerprint }),
  });
  requireSame(run, fingerprint);
  return run;
}

/**
 * Before the build is read, which may be gone by now. The first request may have died before its message was
 * sent; a second message has no effect.
 */
async function sendAgain(run: StoredRun, fingerprint: string): Promise<StoredRun> {
  requireSame(run, fingerprint);
  if (run.status === 'submitted') await enqueueRun(run);
  return run;
}

function requireSame(run: StoredRun, fingerprint: string): void {
  if (run.fingerprint === undefined || run.fingerprint === fingerprint) return;
  throw new ServiceError('idempotency_key_reused', {
    detail: 'The Idempotency-Key came with another request before; use a new one for each request.',
  });
}
