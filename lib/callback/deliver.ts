// Handles one message of the delivery queue: waits longer, or makes the next attempt. The message of the
// following attempt is sent before this attempt is recorded, so a crash in between repeats an attempt and
// loses none. A message whose attempt is already recorded, or is being made by another worker, is a
// duplicate: the message of that worker stays in the queue until the attempt is complete.
import { stateAfter, waitSeconds } from '#lib/delivery/attempt.ts';
import type { Log } from '#lib/log.ts';
import { type CallbackMessage, checkSeconds, enqueueDelivery } from '#lib/run/delivery-queue.ts';
import { endIfAbandoned } from '#lib/run/end.ts';
import { decryptCallbackUrl } from '#lib/run/run-encryption.ts';
import { readRun, readRunEvents } from '#lib/run/run-items.ts';
import { viewRun } from '#lib/run/state.ts';
import { isFinal, type StoredRun } from '#lib/run/stored-run.ts';
import type { StoredDelivery } from './delivery.ts';
import { claimAttempt, readDelivery, recordAttempt } from './delivery-items.ts';
import { postCallback } from './post.ts';

export async function deliverCallback(message: CallbackMessage, log: Log): Promise<void> {
  if (message.wait_seconds > 0) return await enqueueDelivery(message);
  const found = await readRun(message.run_id);
  // The run was never stored, so no caller has received its id.
  if (found?.callback_url === undefined) return;
  const run = await endIfAbandoned(found, Date.now());
  if (isFinal(run.status)) await attemptNext(run, message, log);
  else await enqueueDelivery({ ...message, wait_seconds: checkSeconds });
}

/** The timeout of the function. Its message becomes visible again after six times as long. */
const claimMs = 60_000;
const noAttempts: StoredDelivery = { state: 'waiting', attempts: [] };

async function attemptNext(run: StoredRun, message: CallbackMessage, log: Log): Promise<void> {
  const now = Date.now();
  const before = (await readDelivery(run.run_id)) ?? noAttempts;
  const number = before.attempts.length;
  if (before.state !== 'waiting' || number > message.attempt) return;
  const url = await decryptCallbackUrl(run);
  if (url === undefined || !(await claimAttempt({ run, number }, now, now + claimMs))) return;
  const attempt = await postCallback(url, viewRun(run, await readRunEvents(run)));
  const state = stateAfter(attempt, number);
  const next = state === 'waiting' ? await enqueueNext(message, number + 1) : undefined;
  await recordAttempt({ run, attempt, number, state, next_attempt_at: next });
  const { status, error: reason } = attempt;
  log.info('callback', { run_id: run.run_id, attempt: number, state, status, reason });
}

/** Returns the time of the next attempt. */
async function enqueueNext(message: CallbackMessage, number: number): Promise<string> {
  const wait_seconds = waitSeconds[number] ?? 0;
  await enqueueDelivery({ ...message, attempt: number, wait_seconds });
  return new Date(Date.now() + wait_seconds * 1_000).toISOString();
}
