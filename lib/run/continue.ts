// Sees to it that a run that is not over goes on: at once, at its time, or when somebody has answered.
import type { Finished } from './execute.ts';
import { enqueue, runMessageOf } from './queue.ts';
import type { StoredRun } from './stored.ts';

export async function continueRun(run: StoredRun, finished: Finished): Promise<void> {
  switch (finished.status) {
    case 'yielded':
      return await enqueue(runMessageOf(run));
    case 'waiting':
      return await enqueue(runMessageOf(run), finished.wakeAt - Date.now());
    case 'input_required':
      if (finished.wakeAt !== undefined) await enqueue(runMessageOf(run), finished.wakeAt - Date.now());
      return;
    case 'auth_required':
    case 'completed':
    case 'failed':
    case 'lost':
      return;
  }
}
