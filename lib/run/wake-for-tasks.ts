// Has a worker cancel the tasks of other agents of a run that was canceled while it was paused: flows reach the network
// from there. A process that executes the run does it by itself, also where it dies: its message comes back.
import type { Log } from '#lib/log.ts';
import type { StoredRun } from './stored-run.ts';

export async function wakeForTasks(run: StoredRun, now: number, log?: Log): Promise<void> {
  if (!run.remote_tasks || run.lease_until > now) return;
  try {
    const { enqueueRun } = await import('./run-queue.ts');
    await enqueueRun(run);
  } catch (error) {
    const reason = error instanceof Error ? error.name : 'unknown';
    log?.warn('tasks of other agents are not canceled', { run_id: run.run_id, reason });
  }
}
