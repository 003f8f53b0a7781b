// The end of a run: written here by those who end it from outside, such as a cancel, and followed in every
// case by its callback, its expiry and the metric. An end from outside is one more event that needs no lease;
// the next write of the runner fails and its work is aborted.
import type { LogEntry } from '#lib/flow/ports/log-entry.ts';
import type { Log } from '#lib/log.ts';
import { count } from '#lib/metrics.ts';
import { enqueueCallback } from './callback-queue.ts';
import { expireEarlier } from './retention.ts';
import { appendEvent, readEventItems, readRun } from './run-items.ts';
import {
  type EventItem,
  isAbandonedAt,
  isFinal,
  type RunStatus,
  readLogs,
  type StoredRun,
} from './stored-run.ts';

export const interruptedText = 'The run was interrupted before it ended.';

type OutsideEnd = { readonly status: 'canceled' } | { readonly status: 'failed'; readonly error: string };

/**
 * Returns how the run ended, which may differ from `end` when another process was faster. Conflicts with the
 * runner's own writes are tried again. `known` are the events of the run as it is given; without them they
 * are read.
 */
export async function endRun(
  run: StoredRun,
  end: OutsideEnd,
  known?: readonly EventItem[],
): Promise<RunStatus | undefined> {
  let current: StoredRun | undefined = run;
  let events = known;
  while (current && !isFinal(current.status)) {
    events ??= await readAll(current);
    if (await appendEvent({ run: current, event: lastEvent(current, events, end) })) {
      await followEnd(current);
      countEnd(run, end.status);
      return end.status;
    }
    [current, events] = [await readRun(run.run_id), undefined];
  }
  return current?.status;
}

/** Call it once the end of a run is stored. */
export async function followEnd(run: StoredRun, log?: Log): Promise<void> {
  await enqueueCallback(run, log);
  await expireEarlier(run);
}

/** Counts a run that has ended, in the metric `Runs`. */
export function countEnd({ trigger }: Pick<StoredRun, 'trigger'>, status: RunStatus): void {
  count('Runs', { trigger, status });
}

const readAll = async ({ run_id, generation }: StoredRun): Promise<readonly EventItem[]> =>
  generation === 0 ? [] : await readEventItems(run_id, 0);

function lastEvent({ generation }: StoredRun, events: readonly EventItem[], end: OutsideEnd): EventItem {
  const at = new Date().toISOString();
  const seq = (readLogs(events).at(-1)?.seq ?? 0) + 1;
  const entry: LogEntry = { seq, time: at, status: 'failed', ...describeEnd(end) };
  return { generation: generation + 1, at, logs: JSON.stringify([entry]), ...end };
}

const describeEnd = (end: OutsideEnd): Pick<LogEntry, 'level' | 'event' | 'message'> =>
  end.status === 'canceled'
    ? { level: 'info', event: 'run_canceled', message: 'The run was canceled.' }
    : { level: 'error', event: 'run_failed', message: `The run failed: ${end.error}` };

/**
 * Writes the end of an abandoned run before anybody sees the run, so that no process resumes it afterwards.
 */
export async function endIfAbandoned(run: StoredRun, now: number): Promise<StoredRun> {
  if (!isAbandonedAt(now, run)) return run;
  await endRun(run, { status: 'failed', error: interruptedText });
  return (await readRun(run.run_id)) ?? run;
}
