// One message of the delivery queue: wait on, or make the next attempt. The message of the attempt after is sent before this one is recorded,
// so a crash in between repeats an attempt and forgets none. A message whose attempt is recorded, or made by another at this moment, is a
// duplicate: that other one's message stays in the queue until it is done.
import type { Log } from '#lib/log.ts';
import {
  checkSeconds,
  type DeliveryMessage,
  deliveryMessage,
  enqueueDelivery,
} from '#lib/run/callback-queue.ts';
import { decryptCallbackUrl } from '#lib/run/caller-data.ts';
import { endIfAbandoned } from '#lib/run/end.ts';
import { readEvents, readRun } from '#lib/run/run-items.ts';
import { viewRun } from '#lib/run/state.ts';
import { isFinal, type StoredRun } from '#lib/run/stored-run.ts';
import { type StoredDelivery, stateAfter, waitSeconds } from './delivery.ts';
import { claimAttempt, readDelivery, recordAttempt } from './delivery-items.ts';
import { postCallback } from './post.ts';

interface Delivery {
  readonly body: string;
  readonly log: Log;
}

export async function deliverCallback({ body, log }: Delivery): Promise<void> {
  const message = deliveryMessage.parse(JSON.parse(body));
  if (message.wait_seconds > 0) return await enqueueDelivery(message);
  const found = await readRun(message.run_id);
  // A run that was announced and never stored was never promised to anybody.
  if (found?.callback_url === undefined) return;
  const run = await endIfAbandoned(found, Date.now());
  if (isFinal(run.status)) await attemptNext(run, message, log);
  else await enqueueDelivery({ ...message, wait_seconds: checkSeconds });
}

/** As long as the function may take; its message comes again after six times that. */
const claimMs = 60_000;
const untouched: StoredDelivery = { state: 'waiting', attempts: [] };

async function attemptNext(run: StoredRun, message: DeliveryMessage, log: Log): Promise<void> {
  const now = Date.now();
  const before = (await readDelivery(run.run_id)) ?? untouched;
  const number = before.attempts.length;
  if (before.state !== 'waiting' || number > message.attempt) return;
  const url = await decryptCallbackUrl(run);
  if (url === undefined || !(await claimAttempt({ run, number }, now, now + claimMs))) return;
  const attempt = await postCallback(url, viewRun(run, await readEvents(run.run_id)));
  const state = stateAfter(attempt, number);
  const next = state === 'waiting' ? await enqueueNext(message, number + 1) : undefined;
  await recordAttempt({ run, attempt, number, state, next_attempt_at: next });
  const { status, error: reason } = attempt;
  log.info('callback', { run_id: run.run_id, attempt: number, state, status, reason });
}

/** Returns when it will be made. */
async function enqueueNext(message: DeliveryMessage, number: number): Promise<string> {
  const wait_seconds = waitSeconds[number] ?? 0;
  await enqueueDelivery({ ...message, attempt: number, wait_seconds });
  return new Date(Date.now() + wait_seconds * 1_000).toISOString();
}
