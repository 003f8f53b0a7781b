// A run put together from its header and events: what the status endpoint and A2A tasks are made of.
import type { LogEntry, Reply } from '#lib/flow/ports.ts';
import type { JsonObject } from '#lib/json.ts';
import type { Finished } from './execute.ts';
import type { RunResult, RunState } from './result.ts';
import { isFinal, type RunStatus, type StoredEvent, type StoredRun } from './stored.ts';

export interface RunView {
  readonly run: StoredRun;
  readonly status: RunStatus;
  readonly logs: readonly LogEntry[];
  readonly replies: readonly (Reply & { readonly at: string })[];
  readonly response: JsonObject | undefined;
  readonly error: string | undefined;
  readonly updatedAt: string;
}

/** An inline run whose lease ran out died with its function: nobody goes on with it, so it counts as failed. */
export function viewRun(run: StoredRun, events: readonly StoredEvent[], now: number): RunView {
  const isAbandoned = run.mode === 'inline' && !isFinal(run.status) && run.lease_until < now;
  const last = events.at(-1);
  return {
    run,
    status: isAbandoned ? 'failed' : run.status,
    logs: events.flatMap((event) => parse<LogEntry>(event.logs)),
    replies: events.flatMap((event) =>
      parse<Reply>(event.replies).map((reply) => ({ ...reply, at: event.at })),
    ),
    response: last?.response === undefined ? undefined : JSON.parse(last.response),
    error: isAbandoned ? 'The run was interrupted before it ended.' : last?.error,
    updatedAt: run.updated_at,
  };
}

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
  const common = { workflow_id: id, logs: [...finished.logs], requires_input: false };
  switch (finished.status) {
    case 'completed':
      return { ...common, response: finished.response, status: 'completed', error: null };
    case 'failed':
      return { ...common, response: {}, status: 'failed', error: finished.error };
    case 'lost':
    case 'yielded':
      return { ...common, response: {}, status: 'failed', error: 'The run was canceled.' };
  }
}
