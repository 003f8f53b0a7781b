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
import type { RunStatus } from '#lib/run/stored-run.ts';
import { dataPart, responseParts, textPart, toPart } from './parts.ts';

const taskStates = {
  submitted: TaskState.TASK_STATE_SUBMITTED,
  working: TaskState.TASK_STATE_WORKING,
  input_required: TaskState.TASK_STATE_INPUT_REQUIRED,
  auth_required: TaskState.TASK_STATE_AUTH_REQUIRED,
  completed: TaskState.TASK_STATE_COMPLETED,
  failed: TaskState.TASK_STATE_FAILED,
  canceled: TaskState.TASK_STATE_CANCELED,
} as const satisfies Record<RunStatus, TaskState>;

/** `historyLength` as in A2A §3.2.4: all messages if it is absent, none if it is 0. */
export function toTask(view: RunView, incoming: Message | undefined, historyLength?: number): Task {
  const { run_id: id, context_id: contextId } = view.run;
  const replies = view.replies
    .filter(({ artifact }) => artifact === undefined)
    .map((reply) => toReplyMessage(id, contextId, reply));
  const history = incoming ? [incoming, ...replies] : replies;
  return {
    id,
    contextId,
    status: toTaskStatus(view.status, view.statusTimestamp, id, contextId, view),
    artifacts: listArtifacts(view),
    history: historyLength === undefined ? history : historyLength === 0 ? [] : history.slice(-historyLength),
    metadata: undefined,
  };
}

/**
 * The response is first, for clients that show only one artifact. It replaces an artifact of the flow with
 * the same id.
 */
function listArtifacts({ status, response = {}, as, replies }: RunView): Artifact[] {
  const others = assembleArtifacts(replies).map(toArtifact);
  if (status !== 'completed' || as !== undefined) return others;
  return [toResponseArtifact(response), ...others.filter(({ artifactId }) => artifactId !== responseId)];
}

/**
 * What the message of a status shows: an error, questions, missing connections, or a response that is a
 * message.
 */
type StatusDetails = Partial<Pick<RunView, 'error' | 'requests' | 'needs' | 'response' | 'as'>>;

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
  { error, requests = [], needs, response, as }: StatusDetails,
): Part[] | undefined {
  if (status === 'failed') return [textPart(error ?? 'The run failed.')];
  if (status === 'completed') return as && responseParts(response ?? {});
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

/** The id of the artifact that holds the output of the flow. */
const responseId = 'response';

export const toResponseArtifact = (response: JsonObject): Artifact =>
  buildArtifact(responseId, responseParts(response), { name: 'response' });

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
export const toAnswerMessage = ({ run, response = {} }: RunView): Message => ({
  ...buildAgentMessage(`${run.run_id}-answer`, '', run.context_id, responseParts(response)),
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
