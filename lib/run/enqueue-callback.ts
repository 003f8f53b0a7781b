// Puts callbacks into the delivery queue, so that none is lost however a run ends: one message is queued before the run exists and checks
// every quarter of an hour whether it is over, and a second one when the end is written, so that nobody has to wait for the first.
import type { Log } from '#lib/log.ts';
import type { DeliveryMessage } from './callback-queue.ts';
import type { StoredRun } from './stored-run.ts';

type RunWithCallback = Pick<StoredRun, 'run_id' | 'orgid' | 'callback_url'>;

/** Between two checks of the message that was queued first: as long as SQS delays a message. */
export const checkSeconds = 900;

/** Call it before the header of the run is stored; if it throws, do not start the run. Nothing happens for a run without a callback. */
export async function enqueueCallbackCheck(run: RunWithCallback): Promise<void> {
  if (run.callback_url !== undefined) await enqueue(firstAttempt(run, checkSeconds));
}

/** Call it once the end of the run is stored. If it fails, the next check finds the end a quarter of an hour later. */
export async function enqueueCallback(run: RunWithCallback, log?: Log): Promise<void> {
  if (run.callback_url === undefined) return;
  try {
    await enqueue(firstAttempt(run, 0));
  } catch (error) {
    const reason = error instanceof Error ? error.name : 'unknown';
    log?.warn('the callback of a run was not queued', { run_id: run.run_id, reason });
  }
}

const firstAttempt = ({ run_id, orgid }: RunWithCallback, wait_seconds: number) =>
  ({ kind: 'callback', run_id, orgid, attempt: 0, wait_seconds }) as const;

/** Few runs have a callback: the first that has one loads the client of the queue. */
async function enqueue(message: DeliveryMessage): Promise<void> {
  const { enqueueDelivery } = await import('./callback-queue.ts');
  await enqueueDelivery(message);
}
