// The delivery queue: one message stands for one callback of a run, and says which attempt is next and how
// long it still has to wait. No callback is lost however a run ends: one message is queued before the run
// exists and checks every quarter of an hour whether it is over, and a second one is queued when the end is
// written, so that nobody has to wait for the first.
import * as z from 'zod';
import { runId } from '#lib/ids.ts';
import type { Log } from '#lib/log.ts';
import type { StoredRun } from './stored-run.ts';

export const deliveryMessage = z.strictObject({
  kind: z.literal('callback'),
  run_id: runId,
  /** The message group: when there are many callbacks, those of one organisation wait for each other. */
  orgid: z.string(),
  /** From 0. */
  attempt: z.int().nonnegative(),
  /** The time that is left to wait when the message is delivered. */
  wait_seconds: z.int().nonnegative(),
});
export type DeliveryMessage = z.infer<typeof deliveryMessage>;

type RunWithCallback = Pick<StoredRun, 'run_id' | 'orgid' | 'callback_url'>;

/** SQS delays a message for at most 15 minutes, so a longer wait takes several messages. */
const delaySecondsMax = 900;

/** Between two checks of the message that was queued first. */
export const checkSeconds = delaySecondsMax;

/**
 * Call it before the header of the run is stored; if it throws, do not start the run. Nothing happens for a
 * run without a callback.
 */
export async function enqueueCallbackCheck(run: RunWithCallback): Promise<void> {
  if (run.callback_url !== undefined) await enqueueDelivery(firstAttempt(run, checkSeconds));
}

/**
 * Call it once the end of the run is stored. If it fails, the next check finds the end a quarter of an hour
 * later.
 */
export async function enqueueCallback(run: RunWithCallback, log?: Log): Promise<void> {
  if (run.callback_url === undefined) return;
  try {
    await enqueueDelivery(firstAttempt(run, 0));
  } catch (error) {
    const reason = error instanceof Error ? error.name : 'unknown';
    log?.warn('the callback of a run was not queued', { run_id: run.run_id, reason });
  }
}

const firstAttempt = ({ run_id, orgid }: RunWithCallback, wait_seconds: number): DeliveryMessage => ({
  kind: 'callback',
  run_id,
  orgid,
  attempt: 0,
  wait_seconds,
});

/** Few runs have a callback: the first that has one loads the client of SQS. */
export async function enqueueDelivery({ wait_seconds, ...message }: DeliveryMessage): Promise<void> {
  const { sendMessage } = await import('#lib/queue.ts');
  const delay = Math.min(wait_seconds, delaySecondsMax);
  await sendMessage('DELIVERY_QUEUE_URL', {
    MessageBody: JSON.stringify({ ...message, wait_seconds: wait_seconds - delay }),
    DelaySeconds: delay,
    MessageGroupId: message.orgid,
  });
}
