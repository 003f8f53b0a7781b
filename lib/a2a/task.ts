// A run as an A2A task: states, artifacts and history, in the types of the SDK whose codecs write the wire form.
import {
  type Artifact,
  type Message,
  type Part,
  Role,
  type Task,
  TaskState,
  type TaskStatus,
} from '@a2a-js/sdk';
import { artifactsOf, partsOf, type RunArtifact } from '#lib/flow/engine/artifacts.ts';
import type { Json, JsonObject } from '#lib/json/json.ts';
import { describeNeeds } from '#lib/run/missing-connections.ts';
import type { StoredReply } from '#lib/run/output.ts';
import type { RunView } from '#lib/run/state.ts';
import type { RunStatus } from '#lib/run/stored-run.ts';
import { dataPart, partOf, responseParts, textPart } from './parts.ts';

const taskStates = {
  submitted: TaskState.TASK_STATE_SUBMITTED,
  working: TaskState.TASK_STATE_WORKING,
  input_required: TaskState.TASK_STATE_INPUT_REQUIRED,
  auth_required: TaskState.TASK_STATE_AUTH_REQUIRED,
  completed: TaskState.TASK_STATE_COMPLETED,
  failed: TaskState.TASK_STATE_FAILED,
  canceled: TaskState.TASK_STATE_CANCELED,
} as const satisfies Record<RunStatus, TaskState>;

/** `historyLength` as in A2A §3.2.4: absent is all, 0 is none. */
export function taskOf(view: RunView, incoming: Message | undefined, historyLength?: number): Task {
  const { run_id: id, context_id: contextId } = view.run;
  const replies = view.replies
    .filter(({ artifact }) => artifact === undefined)
    .map((reply) => replyMessage(id, contextId, reply));
  const history = incoming ? [incoming, ...replies] : replies;
  return {
    id,
    contextId,
    status: statusOf(view.status, view.updatedAt, id, contextId, view),
    artifacts: artifactsIn(view),
    history: historyLength === undefined ? history : historyLength === 0 ? [] : history.slice(-historyLength),
    metadata: undefined,
  };
}

/** The response first, for clients that show one artifact alone. It replaces what the flow has handed over under its id. */
function artifactsIn({ status, response = {}, as, replies }: RunView): Artifact[] {
  const others = artifactsOf(replies).map(artifactOf);
  if (status !== 'completed' || as !== undefined) return others;
  return [responseArtifact(response), ...others.filter(({ artifactId }) => artifactId !== responseId)];
}

/** What a status says in words: why the task failed, what it asks or needs, or a response that is no artifact. */
type Said = Partial<Pick<RunView, 'error' | 'requests' | 'needs' | 'response' | 'as'>>;

export function statusOf(
  status: RunStatus,
  at: string,
  taskId: string,
  contextId: string,
  said: Said = {},
): TaskStatus {
  const parts = saidIn(status, said);
  const message = parts && agentMessage(`${taskId}-${status}-${at}`, taskId, contextId, parts);
  const isRejected = status === 'completed' && said.as === 'rejected';
  return {
    state: isRejected ? TaskState.TASK_STATE_REJECTED : taskStates[status],
    message,
    timestamp: at,
  };
}

function saidIn(status: RunStatus, { error, requests = [], needs, response, as }: Said): Part[] | undefined {
  if (status === 'failed') return [textPart(error ?? 'The run failed.')];
  if (status === 'completed') return as && responseParts(response ?? {});
  if (status === 'auth_required' && needs) {
    const next = `Store them at ${needs.configuration_url}; the task goes on then.`;
    return [textPart(`${describeNeeds(needs)} ${next}`), dataPart(plain(needs))];
  }
  if (requests.length === 0) return undefined;
  return [
    textPart(requests.map(({ prompt }) => prompt).join('\n')),
    dataPart({ input_requests: plain(requests) }),
  ];
}

/** Without what is undefined, as JSON is. */
const plain = (value: unknown): Json => JSON.parse(JSON.stringify(value));

/** Of the artifact that holds the output of the flow. */
const responseId = 'response';

export const responseArtifact = (response: JsonObject): Artifact =>
  newArtifact(responseId, responseParts(response), { name: 'response' });

const artifactOf = ({ artifact_id, parts, ...labels }: RunArtifact): Artifact =>
  newArtifact(artifact_id, parts.map(partOf), labels);

/** Of a reply that hands over an artifact, or a chunk of one. */
export const chunkArtifact = (reply: StoredReply): Artifact =>
  newArtifact(reply.artifact?.artifact_id ?? reply.id, partsOf(reply).map(partOf), reply.artifact ?? {});

const newArtifact = (
  artifactId: string,
  parts: Part[],
  {
    name = '',
    description = '',
  }: { readonly name?: string | undefined; readonly description?: string | undefined },
): Artifact => ({ artifactId, name, description, parts, metadata: undefined, extensions: [] });

export const replyMessage = (taskId: string, contextId: string, reply: StoredReply): Message =>
  agentMessage(`${taskId}-reply-${reply.id}`, taskId, contextId, partsOf(reply).map(partOf));

/** The answer of a flow that ends as a message: no task, since the client has not heard of one. Its run is named for those who look for it. */
export const answerMessage = ({ run, response = {} }: RunView): Message => ({
  ...agentMessage(`${run.run_id}-answer`, '', run.context_id, responseParts(response)),
  metadata: { workflow_id: run.run_id },
});

const agentMessage = (messageId: string, taskId: string, contextId: string, parts: Part[]): Message => ({
  messageId,
  taskId,
  contextId,
  role: Role.ROLE_AGENT,
  parts,
  metadata: undefined,
  extensions: [],
  referenceTaskIds: [],
});
