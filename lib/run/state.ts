// A run put together from its header and events: what the status endpoint and A2A tasks are made of.
import type { ArtifactLabels } from '#lib/flow/engine/output.ts';
import type { InputRequest } from '#lib/flow/engine/pause.ts';
import type { JsonObject } from '#lib/json/json.ts';
import type { Usage } from '#lib/model/usage.ts';
import type { ExecutionResult } from './execute.ts';
import type { RunFailure } from './failure.ts';
import { describeNeeds } from './missing-connections.ts';
import { type OutputMessage, outputId, type StoredReply, withoutRepetitions } from './output.ts';
import type { RunResult, RunState } from './result.ts';
import type { RunNeeds } from './run-needs.ts';
import {
  isAbandonedAt,
  isFinal,
  isPaused,
  type RunStatus,
  readLogs,
  readStatusTimestamp,
  type StoredEvent,
  type StoredRun,
  startStatus,
} from './stored-run.ts';

export interface RunView {
  readonly run: StoredRun;
  readonly status: RunStatus;
  /** The events from which the other members were read. */
  readonly events: readonly StoredEvent[];
  readonly replies: readonly StoredReply[];
  readonly response: JsonObject | undefined;
  readonly as: StoredEvent['as'];
  /** The text with which its task ends. */
  readonly message?: string | undefined;
  /** The labels of its response as an artifact. */
  readonly labels?: ArtifactLabels | undefined;
  /** What it asks while it is paused. */
  readonly requests: readonly InputRequest[];
  /** Whether it has ever asked anything. */
  readonly hasAsked: boolean;
  /** What it needs to begin, while it waits for that. */
  readonly needs: RunNeeds | undefined;
  readonly error: string | undefined;
  /** The error for programs. Runs of an earlier version of the service have none. */
  readonly failure?: RunFailure | undefined;
  readonly usage: readonly Usage[];
  /** What it has used of its budget, once it is over and if its caller may see that. */
  readonly used?: StoredEvent['used'];
  /** When the status became what it is: output and log entries do not move it. */
  readonly statusTimestamp: string;
}

/** Events that came after the header was read are of a later generation: they belong to the next view. */
export function viewRun(run: StoredRun, stored: readonly StoredEvent[]): RunView {
  const events = stored.filter(({ generation }) => generation <= run.generation);
  const last = events.at(-1);
  return {
    run,
    status: run.status,
    events,
    replies: withoutRepetitions(events.flatMap(readReplies)),
    requests: isPaused(run.status) ? parse<InputRequest>(last?.requests) : [],
    hasAsked: events.some((event) => event.requests !== undefined),
    needs: last?.needs === undefined ? undefined : JSON.parse(last.needs),
    response: last?.response === undefined ? undefined : JSON.parse(last.response),
    as: last?.as,
    message: last?.status_message,
    labels: readLabels(last),
    error: last?.error,
    failure: last?.failure,
    used: isFinal(run.status) ? last?.used : undefined,
    usage: readUsage(events),
    statusTimestamp: readStatusTimestamp(run),
  };
}

/** The run as it was when it had a generation. */
export function viewRunAt({ run, events }: RunView, generation: number): RunView {
  const past = events.filter((event) => event.generation <= generation);
  const first = startStatus(run);
  const status = past.at(-1)?.status ?? first;
  const since = past.findLastIndex((event) => event.status !== status) + 1;
  const isFromStart = since === 0 && status === first;
  return viewRun(
    {
      ...run,
      generation,
      status,
      status_timestamp: isFromStart ? run.created_at : (past[since]?.at ?? run.created_at),
      updated_at: past.at(-1)?.at ?? run.created_at,
    },
    past,
  );
}

export const readLabels = (event: StoredEvent | undefined): ArtifactLabels | undefined =>
  event?.response_labels === undefined ? undefined : JSON.parse(event.response_labels);

/** A run whose events this process has written itself, all of them; undefined if it has not written the end. */
export function viewEnded(run: StoredRun, events: readonly StoredEvent[]): RunView | undefined {
  const end = events.at(-1);
  if (!end || !isFinal(end.status)) return undefined;
  const { generation, status, at, as } = end;
  const times = { status_timestamp: at, updated_at: at, ended_at: at };
  return viewRun({ ...run, generation, status, as, ...times }, events);
}

export const readReplies = (event: StoredEvent): StoredReply[] =>
  parse<OutputMessage>(event.replies).map((message, n) => ({
    ...message,
    id: outputId(message) ?? `${event.generation}-${n}`,
  }));

/** What the models of the run have used, by the events that recorded it. */
export const readUsage = (events: readonly Pick<StoredEvent, 'usage'>[]): Usage[] =>
  events.flatMap(({ usage }) => parse<Usage>(usage));

const parse = <T>(text: string | undefined): T[] => (text === undefined ? [] : JSON.parse(text));

const states = {
  submitted: 'pending',
  working: 'pending',
  input_required: 'input_required',
  auth_required: 'auth_required',
  completed: 'completed',
  failed: 'failed',
  canceled: 'canceled',
} as const satisfies Record<RunStatus, RunState['status']>;

/** The status in lists, which write no ends: nobody continues an abandoned run, so it will end as failed. */
export const statusAt = (now: number, run: Parameters<typeof isAbandonedAt>[1]): RunState['status'] =>
  states[isAbandonedAt(now, run) ? 'failed' : run.status];

export function runState(view: RunView): RunState {
  return {
    workflow_id: view.run.run_id,
    response: view.status === 'completed' ? { ...view.response } : {},
    status: states[view.status],
    logs: readLogs(view.events),
    ...asking(view),
    ...(view.needs && { needs: view.needs }),
    error: view.status === 'failed' ? (view.error ?? 'The run failed.') : null,
    ...(view.failure && { failure: view.failure }),
  };
}

/** The state of a run that was stored a moment ago. */
export const newState = (id: string): RunState => ({
  workflow_id: id,
  response: {},
  status: 'pending',
  logs: [],
  requires_input: false,
  error: null,
});

const asking = ({ requests }: Pick<RunView, 'requests'>) =>
  requests.length > 0 ? { requires_input: true, input_requests: [...requests] } : { requires_input: false };

/** The result of a run that this request has waited for. */
export function runResult(id: string, finished: ExecutionResult): RunResult {
  const { status } = finished;
  const result = { workflow_id: id, response: {}, logs: [...finished.logs], ...asking({ requests: [] }) };
  switch (status) {
    case 'completed':
      return { ...result, status, response: finished.response, error: null };
    case 'input_required':
      return { ...result, status, ...asking(finished), error: null };
    case 'failed':
      return { ...result, status, error: finished.error };
    case 'auth_required':
      return { ...result, status: 'failed', error: describeNeeds(finished.needs) };
    case 'lost':
      return { ...result, status: 'failed', error: 'The run was canceled.' };
    case 'yielded':
    case 'waiting':
      return { ...result, status: 'pending', error: null };
  }
}
