// That the callback of a run is not forgotten, however the run ends: a message that waits for the end is in the queue before the run exists,
// and a second one goes out when the end is written, so that nobody has to wait for the first.
import type { Log } from '#lib/log.ts';
import type { DeliveryMessage } from './callback-queue.ts';
import type { StoredRun } from './stored-run.ts';

type Owed = Pick<StoredRun, 'run_id' | 'orgid' | 'callback_url'>;

/** How long the waiting message sleeps between two looks at the run: as long as SQS delays a message. */
export const lookSeconds = 900;

/** Call it before the header of the run is stored; if it throws, do not start the run. Nothing happens for a run without a callback. */
export async function notifyWhenOver(run: Owed): Promise<void> {
  if (run.callback_url !== undefined) await send(firstAttempt(run, lookSeconds));
}

/** Call it once the end of the run is stored. If it fails, the message that waits finds the end a quarter of an hour later. */
export async function announceEnd(run: Owed, log?: Log): Promise<void> {
  if (run.callback_url === undefined) return;
  try {
    await send(firstAttempt(run, 0));
  } catch (error) {
    const reason = error instanceof Error ? error.name : 'unknown';
    log?.warn('the end of a run was not announced', { run_id: run.run_id, reason });
  }
}

const firstAttempt = ({ run_id, orgid }: Owed, wait_seconds: number) =>
  ({ kind: 'callback', run_id, orgid, attempt: 0, wait_seconds }) as const;

/** Few runs have a callback: the client of the queue is loaded by the first that does. */
async function send(message: DeliveryMessage): Promise<void> {
  const { enqueueDelivery } = await import('./callback-queue.ts');
  await enqueueDelivery(message);
}
