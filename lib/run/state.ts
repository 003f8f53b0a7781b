// A run put together from its header and events: what the status endpoint and A2A tasks are made of.
import type { LogEntry, Reply } from '#lib/flow/ports.ts';
import type { JsonObject } from '#lib/json.ts';
import type { Finished } from './execute.ts';
import type { RunResult, RunState } from './result.ts';
import { isFinal, type RunStatus, type StoredEvent, type StoredRun } from './stored.ts';

/** `id` tells the replies of a run apart, in whichever way they are read. */
export type StoredReply = Reply & { readonly id: string };

export interface RunView {
  readonly run: StoredRun;
  readonly status: RunStatus;
  readonly logs: readonly LogEntry[];
  readonly replies: readonly StoredReply[];
  readonly response: JsonObject | undefined;
  readonly error: string | undefined;
  readonly updatedAt: string;
}

export function viewRun(run: StoredRun, events: readonly StoredEvent[], now: number): RunView {
  const isAbandoned = isAbandonedAt(now, run);
  const last = events.at(-1);
  return {
    run,
    status: isAbandoned ? 'failed' : run.status,
    logs: events.flatMap((event) => parse<LogEntry>(event.logs)),
    replies: events.flatMap(repliesOf),
    response: last?.response === undefined ? undefined : JSON.parse(last.response),
    error: isAbandoned ? 'The run was interrupted before it ended.' : last?.error,
    updatedAt: run.updated_at,
  };
}

/** Nobody goes on with it, so it counts as failed: an inline run whose lease ran out died with its function, a queued one is over with its time. */
const isAbandonedAt = (now: number, { mode, status, lease_until, deadline }: StoredRun): boolean =>
  !isFinal(status) && lease_until < now && (mode === 'inline' || deadline < now);

export const repliesOf = (event: StoredEvent): StoredReply[] =>
  parse<Reply>(event.replies).map((reply, n) => ({ ...reply, id: `${event.generation}-${n}` }));

const parse = <T>(text: string | undefined): T[] => (text === undefined ? [] : JSON.parse(text));

const states = {
  submitted: 'pending',
  working: 'pending',
  completed: 'completed',
  failed: 'failed',
  canceled: 'canceled',
} as const satisfies Record<RunStatus, RunState['status']>;

export function runState(view: RunView): RunState {
  return {
    workflow_id: view.run.run_id,
    response: view.status === 'completed' ? { ...view.response } : {},
    status: states[view.status],
    logs: [...view.logs],
    requires_input: false,
    error: view.status === 'failed' ? (view.error ?? 'The run failed.') : null,
  };
}

/** The result of a run that this request has waited for. */
export function runResult(id: string, finished: Finished): RunResult {
  const isCompleted = finished.status === 'completed';
  return {
    workflow_id: id,
    response: isCompleted ? finished.response : {},
    status: isCompleted ? 'completed' : 'failed',
    logs: [...finished.logs],
    requires_input: false,
    error: isCompleted ? null : errorOf(finished),
  };
}

const errorOf = (finished: Exclude<Finished, { status: 'completed' }>): string =>
  finished.status === 'failed' ? finished.error : 'The run was canceled.';
