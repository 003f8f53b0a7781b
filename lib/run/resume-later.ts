// Has a worker resume a run, at once or at a time.
import type { StoredRun } from './stored-run.ts';

/** A run that was resumed before its time has a message in the queue already, which comes at that time. */
export async function queueUntil(run: StoredRun, wakeAt: number | undefined): Promise<void> {
  const { wake_at: before = 0 } = run;
  const now = Date.now();
  if (wakeAt === undefined || (before > now && before <= wakeAt)) return;
  await queueRun(run, wakeAt - now);
}

/**
 * Most runs end where they began: the first that does not loads the client of the queue, which cold starts do
 * without.
 */
export async function queueRun(run: StoredRun, delayMs?: number): Promise<void> {
  const { enqueuePausedRun } = await import('./run-queue.ts');
  await enqueuePausedRun(run, delayMs);
}
