// Converts a run to an A2A task: states, artifacts and history, in the types of the SDK, whose codecs write
// the wire form.
import {
  type Artifact,
  type Message,
  type Part,
  Role,
  type Task,
  TaskState,
  type TaskStatus,
} from '@a2a-js/sdk';
import { assembleArtifacts, type RunArtifact, toContentParts } from '#lib/flow/engine/artifacts.ts';
import type { Json, JsonObject } from '#lib/json/json.ts';
import { describeNeeds } from '#lib/run/missing-connections.ts';
import type { StoredReply } from '#lib/run/output.ts';
import type { RunView } from '#lib/run/state.ts';
import { type RunStatus, runStatus } from '#lib/run/stored-run.ts';
import { dataPart, type OutputModes, textPart, toPart, toResponsePart } from './parts.ts';

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

export interface TaskOptions {
  /** As in A2A §3.2.4: all messages if it is absent, none if it is 0. */
  readonly historyLength?: number | undefined;
  /** The form of the response; by default that of the answer of the flow. */
  readonly modes?: OutputModes;
}

export function toTask(
  view: RunView,
  incoming: Message | undefined,
  { historyLength, modes = [] }: TaskOptions = {},
): Task {
  const { run_id: id, context_id: contextId } = view.run;
  const replies = view.replies
    .filter(({ artifact }) => artifact === undefined)
    .map((reply) => toReplyMessage(id, contextId, reply));
  const history = incoming ? [incoming, ...replies] : replies;
  return {
    id,
    contextId,
    status: toTaskStatus(view.status, view.statusTimestamp, id, contextId, { ...view, modes }),
    artifacts: listArtifacts(view, modes),
    history: historyLength === undefined ? history : historyLength === 0 ? [] : history.slice(-historyLength),
    metadata: undefined,
  };
}

/** The response is last, as it is sent last. It replaces an artifact of the flow with the same id. */
function listArtifacts({ status, response, as, replies }: RunView, modes: OutputModes): Artifact[] {
  const artifacts = assembleArtifacts(replies).map(toArtifact);
  const last = status === 'completed' ? toResponseArtifact({ response, as }, modes) : undefined;
  return last ? [...artifacts.filter(({ artifactId }) => artifactId !== responseId), last] : artifacts;
}

/**
 * What the message of a status shows: an error, questions, missing connections, or a response that is a
 * message.
 */
type StatusDetails = Partial<Pick<RunView, 'error' | 'requests' | 'needs' | 'response' | 'as'>> & {
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
  { error, requests = [], needs, response = {}, as, modes = [] }: StatusDetails,
): Part[] | undefined {
  if (status === 'failed') return [textPart(error ?? 'The run failed.')];
  if (status === 'completed')
    return as === undefined || isEmpty(response) ? undefined : [toResponsePart(response, modes)];
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

/** The id of the artifact that holds the response of the flow. */
const responseId = 'response';

/** Undefined while there is no response, for an empty one, and for one that is a message. */
export function toResponseArtifact(
  { response = {}, as }: { readonly response: JsonObject | undefined; readonly as: RunView['as'] },
  modes: OutputModes,
): Artifact | undefined {
  if (as !== undefined || isEmpty(response)) return undefined;
  return buildArtifact(responseId, [toResponsePart(response, modes)], { name: 'response' });
}

/** A flow that ends with nothing to say. */
const isEmpty = (response: JsonObject) => Object.keys(response).length === 0;

const toArtifact = ({ artifact_id, parts, ...labels }: RunArtifact): Artifact =>
  buildArtifact(artifact_id, parts.map(toPart), labels);

/** The artifact, or the chunk of one, that a reply contains. */
export const toChunkArtifact = (reply: StoredReply): Artifact =>
  buildArtifact(
    reply.artifact?.artifact_id ?? reply.id,
    toContentParts(reply).map(toPart),
    reply.artifact ?? {},
  );

const buildArtifact = (
  artifactId: string,
  parts: Part[],
  {
    name = '',
    description = '',
  }: { readonly name?: string | undefined; readonly description?: string | undefined },
): Artifact => ({ artifactId, name, description, parts, metadata: undefined, extensions: [] });

export const toReplyMessage = (taskId: string, contextId: string, reply: StoredReply): Message =>
  buildAgentMessage(`${taskId}-reply-${reply.id}`, taskId, contextId, toContentParts(reply).map(toPart));

/**
 * The response of a flow that ends with a message. It belongs to no task, because the client was not sent
 * one. The metadata has the id of the run.
 */
export const toAnswerMessage = ({ run, response = {} }: RunView, modes: OutputModes): Message => ({
  ...buildAgentMessage(`${run.run_id}-answer`, '', run.context_id, [toResponsePart(response, modes)]),
  metadata: { workflow_id: run.run_id },
});

const buildAgentMessage = (messageId: string, taskId: string, contextId: string, parts: Part[]): Message => ({
  messageId,
  taskId,
  contextId,
  role: Role.ROLE_AGENT,
  parts,
  metadata: undefined,
  extensions: [],
  referenceTaskIds: [],
});
