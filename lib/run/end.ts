// Ends a run from outside: one more event that needs no lease, and whose log entry is the last. The runner's next write fails and its work is aborted.
import type { LogEntry } from '#lib/flow/ports/log-entry.ts';
import { isAbandonedAt } from './abandoned.ts';
import { countEnd } from './count-end.ts';
import { announceEnd } from './enqueue-callback.ts';
import { expireEarlier } from './retention-items.ts';
import { appendEvent, readEventItems, readRun } from './run-items.ts';
import { logsOf } from './state.ts';
import { type EventItem, isFinal, type RunStatus, type StoredRun } from './stored-run.ts';

export const interruptedText = 'The run was interrupted before it ended.';

type End = { readonly status: 'canceled' } | { readonly status: 'failed'; readonly error: string };

/**
 * How the run ended, which is otherwise when somebody was faster. Races with the runner's own writes are tried again. `known` are the events of
 * the run as it is given, which are read where they are not.
 */
export async function endRun(
  run: StoredRun,
  end: End,
  known?: readonly EventItem[],
): Promise<RunStatus | undefined> {
  let current: StoredRun | undefined = run;
  let events = known;
  while (current && !isFinal(current.status)) {
    events ??= await eventsOf(current);
    if (await appendEvent({ run: current, event: lastEvent(current, events, end) })) {
      await announceEnd(run);
      await expireEarlier(current);
      countEnd(run, end.status);
      return end.status;
    }
    [current, events] = [await readRun(run.run_id), undefined];
  }
  return current?.status;
}

const eventsOf = async ({ run_id, generation }: StoredRun): Promise<readonly EventItem[]> =>
  generation === 0 ? [] : await readEventItems(run_id, 0);

function lastEvent({ generation }: StoredRun, events: readonly EventItem[], end: End): EventItem {
  const at = new Date().toISOString();
  const seq = (logsOf(events).at(-1)?.seq ?? 0) + 1;
  const entry: LogEntry = { seq, time: at, status: 'failed', ...wordsOf(end) };
  return { generation: generation + 1, at, logs: JSON.stringify([entry]), ...end };
}

const wordsOf = (end: End): Pick<LogEntry, 'level' | 'event' | 'message'> =>
  end.status === 'canceled'
    ? { level: 'info', event: 'run_canceled', message: 'The run was canceled.' }
    : { level: 'error', event: 'run_failed', message: `The run failed: ${end.error}` };

/** The run as it stands. The end of one that nobody goes on with is written before anybody is told, so that nobody goes on with it afterwards. */
export async function endIfAbandoned(run: StoredRun, now: number): Promise<StoredRun> {
  if (!isAbandonedAt(now, run)) return run;
  await endRun(run, { status: 'failed', error: interruptedText });
  return (await readRun(run.run_id)) ?? run;
}
