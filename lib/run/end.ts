// Ends a run from outside: one more event that needs no lease. The runner's next write fails and its work is aborted.
import { isAbandonedAt } from './abandoned.ts';
import { announceEnd } from './completion/notify.ts';
import { expireEarlier } from './retention/store.ts';
import { appendEvent, readRun } from './store.ts';
import { isFinal, type RunStatus, type StoredRun } from './stored.ts';

export const interruptedText = 'The run was interrupted before it ended.';

type End = { readonly status: 'canceled' } | { readonly status: 'failed'; readonly error: string };

/** How the run ended, which is otherwise when somebody was faster. Races with the runner's own writes are tried again. */
export async function endRun(run: StoredRun, end: End): Promise<RunStatus | undefined> {
  let current: StoredRun | undefined = run;
  while (current && !isFinal(current.status)) {
    const event = { generation: current.generation + 1, at: new Date().toISOString(), ...end };
    if (await appendEvent({ run: current, event })) {
      await announceEnd(run);
      await expireEarlier(current);
      return end.status;
    }
    current = await readRun(run.run_id);
  }
  return current?.status;
}

/** The run as it stands. The end of one that nobody goes on with is written before anybody is told, so that nobody goes on with it afterwards. */
export async function endIfAbandoned(run: StoredRun, now: number): Promise<StoredRun> {
  if (!isAbandonedAt(now, run)) return run;
  await endRun(run, { status: 'failed', error: interruptedText });
  return (await readRun(run.run_id)) ?? run;
}
