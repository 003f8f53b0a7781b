// Sees to it that a run that is not over goes on: at once, at its time, or when somebody has answered or stored what it needs.
import type { Finished } from './execute.ts';
import type { StoredRun } from './stored-run.ts';
import { wakeIfStored } from './wake-waiting.ts';

export async function continueRun(run: StoredRun, finished: Finished): Promise<void> {
  switch (finished.status) {
    case 'yielded':
      return await handOn(run);
    case 'waiting':
      return await handOn(run, finished.wakeAt - Date.now());
    case 'input_required':
      if (finished.wakeAt !== undefined) await handOn(run, finished.wakeAt - Date.now());
      return;
    case 'auth_required':
      return await wakeIfStored(run, finished.needs);
    case 'completed':
    case 'failed':
    case 'lost':
      return;
  }
}

/** Most runs end where they began: the client of the queue is loaded by the first that does not, and not by every cold start. */
async function handOn(run: StoredRun, delayMs?: number): Promise<void> {
  const { enqueue, runMessageOf } = await import('./run-queue.ts');
  await enqueue(runMessageOf(run), delayMs);
}
