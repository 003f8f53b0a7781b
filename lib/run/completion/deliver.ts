// One message of the delivery queue: wait on, or make the next attempt. The message of the attempt after is sent before this one is recorded,
// so a crash in between repeats an attempt and forgets none. A message whose attempt is recorded, or made by another at this moment, is a
// duplicate: that other one's message stays in the queue until it is done.
import type { Log } from '#lib/log.ts';
import { viewRun } from '../state.ts';
import { readEvents, readRun } from '../store.ts';
import { isFinal } from '../stored.ts';
import { stateAfter, waitSeconds } from './delivery.ts';
import { lookSeconds } from './notify.ts';
import { postCallback } from './post.ts';
import { deliveryMessage, enqueueDelivery } from './queue.ts';
import { claimAttempt, readDelivery, recordAttempt } from './store.ts';

/** As long as the function may take; its message comes again after six times that. */
const claimMs = 60_000;

export async function deliverCallback({
  body,
  log,
}: {
  readonly body: string;
  readonly log: Log;
}): Promise<void> {
  const message = deliveryMessage.parse(JSON.parse(body));
  if (message.wait_seconds > 0) return await enqueueDelivery(message);
  const run = await readRun(message.run_id);
  // A run that was announced and never stored was never promised to anybody.
  if (run?.callback_url === undefined) return;
  const now = Date.now();
  if (!isFinal(viewRun(run, [], now).status))
    return await enqueueDelivery({ ...message, wait_seconds: lookSeconds });
  const { state: before, attempts } = (await readDelivery(run.run_id)) ?? { state: 'waiting', attempts: [] };
  const number = attempts.length;
  if (before !== 'waiting' || number > message.attempt) return;
  if (!(await claimAttempt({ run, number }, now, now + claimMs))) return;
  const attempt = await postCallback(run.callback_url, viewRun(run, await readEvents(run.run_id), now));
  const state = stateAfter(attempt, number);
  const wait_seconds = waitSeconds[number + 1] ?? 0;
  if (state === 'waiting') await enqueueDelivery({ ...message, attempt: number + 1, wait_seconds });
  const next_attempt_at =
    state === 'waiting' ? new Date(Date.now() + wait_seconds * 1_000).toISOString() : undefined;
  await recordAttempt({ run, attempt, number, state, next_attempt_at });
  log.info('callback', {
    run_id: run.run_id,
    attempt: number,
    state,
    status: attempt.status,
    reason: attempt.error,
  });
}
