// Cancels a run: one more event that needs no lease. The runner's next write fails and its work is aborted.
import { appendEvent, readRun } from './store.ts';
import { isFinal, type StoredRun } from './stored.ts';

/** True when the run is canceled now, false when it ended otherwise. Races with the runner's own writes are tried again. */
export async function cancelRun(run: StoredRun): Promise<boolean> {
  let current: StoredRun | undefined = run;
  while (current && !isFinal(current.status)) {
    const event = {
      generation: current.generation + 1,
      at: new Date().toISOString(),
      status: 'canceled',
    } as const;
    if (await appendEvent({ run: current, event })) return true;
    current = await readRun(run.run_id);
  }
  return current?.status === 'canceled';
}
