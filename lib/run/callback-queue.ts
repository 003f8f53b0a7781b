// The messages of callbacks: one message stands for one callback of a run, and says which attempt is next and
// how long it still has to wait. No callback is lost however a run ends: one message is queued before the run
// exists and checks every quarter of an hour whether it is over, and a second one is queued when the end is
// written, so that nobody has to wait for the first.
import type { Log } from '#lib/log.ts';
import { type CallbackMessage, checkSeconds, enqueueDelivery } from './delivery-queue.ts';
import type { StoredRun } from './stored-run.ts';

type RunWithCallback = Pick<StoredRun, 'run_id' | 'orgid' | 'callback_url'>;

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

const firstAttempt = ({ run_id, orgid }: RunWithCallback, wait_seconds: number): CallbackMessage => ({
  kind: 'callback',
  run_id,
  orgid,
  attempt: 0,
  wait_seconds,
});
