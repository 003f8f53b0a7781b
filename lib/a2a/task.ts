// A run as an A2A task: states, artifacts and history, in the types of the SDK whose codecs write the wire form.
import {
  type Artifact,
  type Message,
  type Part,
  Role,
  type StreamResponse,
  type Task,
  TaskState,
  type TaskStatus,
} from '@a2a-js/sdk';
import type { Json, JsonObject } from '#lib/json.ts';
import type { RunView, StoredReply } from '#lib/run/state.ts';
import type { RunStatus } from '#lib/run/stored.ts';

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
  const replies = view.replies.map((reply) => replyMessage(id, contextId, reply));
  const history = incoming ? [incoming, ...replies] : replies;
  return {
    id,
    contextId,
    status: statusOf(view.status, view.updatedAt, id, contextId, view),
    artifacts: view.status === 'completed' ? [responseArtifact(view.response ?? {})] : [],
    history: historyLength === undefined ? history : historyLength === 0 ? [] : history.slice(-historyLength),
    metadata: undefined,
  };
}

/** What a status says in words: why the task failed, or what it asks. */
type Said = Partial<Pick<RunView, 'error' | 'requests'>>;

export function statusOf(
  status: RunStatus,
  at: string,
  taskId: string,
  contextId: string,
  said: Said = {},
): TaskStatus {
  const parts = partsOf(status, said);
  const message = parts && agentMessage(`${taskId}-${status}-${at}`, taskId, contextId, parts);
  return { state: taskStates[status], message, timestamp: at };
}

function partsOf(status: RunStatus, { error, requests = [] }: Said): Part[] | undefined {
  if (status === 'failed') return [textPart(error ?? 'The run failed.')];
  if (requests.length === 0) return undefined;
  // Without what is undefined, as JSON is.
  const asked: Json = JSON.parse(JSON.stringify(requests));
  return [textPart(requests.map(({ prompt }) => prompt).join('\n')), dataPart({ input_requests: asked })];
}

/** The output of the flow. Its text, if one member is the plain answer, comes first for clients that only show text. */
export function responseArtifact(response: JsonObject): Artifact {
  const text = answerOf(response);
  const parts = [...(text === undefined ? [] : [textPart(text)]), dataPart(response)];
  return {
    artifactId: 'response',
    name: 'response',
    description: '',
    parts,
    metadata: undefined,
    extensions: [],
  };
}

/** `answer` or `text`, or the only member, if it is a string. */
function answerOf(response: JsonObject): string | undefined {
  const values = Object.values(response);
  const candidates = [response.answer, response.text, values.length === 1 ? values[0] : undefined];
  return candidates.find((value) => typeof value === 'string');
}

export function replyMessage(taskId: string, contextId: string, reply: StoredReply): Message {
  const parts = [
    ...(reply.text === undefined ? [] : [textPart(reply.text)]),
    ...(reply.data === undefined ? [] : [dataPart(reply.data)]),
  ];
  return agentMessage(`${taskId}-reply-${reply.id}`, taskId, contextId, parts);
}

export const statusUpdate = (taskId: string, contextId: string, status: TaskStatus): StreamResponse => ({
  payload: { $case: 'statusUpdate', value: { taskId, contextId, status, metadata: undefined } },
});

export const artifactUpdate = (taskId: string, contextId: string, artifact: Artifact): StreamResponse => ({
  payload: {
    $case: 'artifactUpdate',
    value: { taskId, contextId, artifact, append: false, lastChunk: true, metadata: undefined },
  },
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

const textPart = (value: string): Part => ({
  content: { $case: 'text', value },
  metadata: undefined,
  filename: '',
  mediaType: 'text/plain',
});
const dataPart = (value: Json): Part => ({
  content: { $case: 'data', value },
  metadata: undefined,
  filename: '',
  mediaType: 'application/json',
});
