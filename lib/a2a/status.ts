// The status of a task: its state, and the message that explains it.
import { type Part, TaskState, type TaskStatus } from '@a2a-js/sdk';
import type { Json, JsonObject } from '#lib/json/json.ts';
import { describeNeeds } from '#lib/run/missing-connections.ts';
import type { RunView } from '#lib/run/state.ts';
import { type RunStatus, runStatus } from '#lib/run/stored-run.ts';
import { buildAgentMessage } from './messages.ts';
import { dataPart, type OutputModes, textPart, toResponsePart } from './parts.ts';

const taskStates = {
  submitted: TaskState.TASK_STATE_SUBMITTED,
  working: TaskState.TASK_STATE_WORKING,
  input_required: TaskState.TASK_STATE_INPUT_REQUIRED,
  auth_required: TaskState.TASK_STATE_AUTH_REQUIRED,
  completed: TaskState.TASK_STATE_COMPLETED,
  failed: TaskState.TASK_STATE_FAILED,
  canceled: TaskState.TASK_STATE_CANCELED,
} as const satisfies Record<RunStatus, TaskState>;

/** Which runs have a state: a rejected task is a completed run. */
export function toStateFilter(state: TaskState): { status: RunStatus | undefined; isRejected?: boolean } {
  if (state === TaskState.TASK_STATE_REJECTED) return { status: 'completed', isRejected: true };
  if (state === TaskState.TASK_STATE_COMPLETED) return { status: 'completed', isRejected: false };
  return { status: runStatus.options.find((status) => taskStates[status] === state) };
}

/**
 * What the message of a status shows: an error, questions, missing connections, or a response that is a
 * message.
 */
type StatusDetails = Partial<
  Pick<RunView, 'error' | 'failure' | 'requests' | 'needs' | 'response' | 'as' | 'message'>
> & {
  readonly modes?: OutputModes;
};

export function toTaskStatus(
  status: RunStatus,
  timestamp: string,
  taskId: string,
  contextId: string,
  details: StatusDetails = {},
): TaskStatus {
  const parts = toStatusParts(status, details);
  const message = parts && buildAgentMessage(`${taskId}-${status}-${timestamp}`, taskId, contextId, parts);
  const isRejected = status === 'completed' && details.as === 'rejected';
  return {
    state: isRejected ? TaskState.TASK_STATE_REJECTED : taskStates[status],
    message,
    timestamp,
  };
}

function toStatusParts(
  status: RunStatus,
  { error, failure, requests = [], needs, response = {}, as, message, modes = [] }: StatusDetails,
): Part[] | undefined {
  if (status === 'failed')
    return [textPart(error ?? 'The run failed.'), ...(failure ? [dataPart({ error: toJson(failure) })] : [])];
  if (status === 'completed') {
    const text = message === undefined ? [] : [textPart(message)];
    const parts = as === undefined || isEmpty(response) ? text : [...text, toResponsePart(response, modes)];
    return parts.length > 0 ? parts : undefined;
  }
  if (status === 'auth_required' && needs) {
    const next = `Store them at ${needs.configuration_url}; the task continues then.`;
    return [textPart(`${describeNeeds(needs)} ${next}`), dataPart(toJson(needs))];
  }
  if (requests.length === 0) return undefined;
  return [
    textPart(requests.map(({ prompt }) => prompt).join('\n')),
    dataPart({ input_requests: toJson(requests) }),
  ];
}

/** Drops members that are undefined, as JSON does. */
const toJson = (value: unknown): Json => JSON.parse(JSON.stringify(value));

/** A flow that ends with nothing to say. */
export const isEmpty = (response: JsonObject) => Object.keys(response).length === 0;
