// A conversation with an agent, put together from what its client has sent and received. Pure: a task that is read
// again changes nothing that is known, so a stream that is taken up in the middle does no harm.
import type { Artifact, Message, Part, StreamResult, Task, TaskStatus } from './wire.ts';

interface EntryOf<Kind extends string> {
  readonly kind: Kind;
  readonly key: string;
  readonly taskId: string | undefined;
}

/** One bubble. */
export type Entry =
  | (EntryOf<'message'> & { readonly message: Message; readonly state: string | undefined })
  | (EntryOf<'artifact'> & { readonly artifact: Artifact });

export interface Conversation {
  readonly contextId: string | undefined;
  /** Of the latest task. */
  readonly taskId: string | undefined;
  readonly status: TaskStatus | undefined;
  readonly entries: readonly Entry[];
}

export const nothingSaid: Conversation = {
  contextId: undefined,
  taskId: undefined,
  status: undefined,
  entries: [],
};

/** A message as it leaves; the task that it starts is not known yet. */
export const withSent = (conversation: Conversation, message: Message): Conversation => ({
  ...conversation,
  ...(message.taskId === undefined && { taskId: undefined }),
  status: { state: 'TASK_STATE_SUBMITTED' },
  entries: put(conversation.entries, toEntry(message, message.taskId)),
});

const unsent = 'unsent';

/** The message was not accepted, so it stays as what the person has written, and not as what was said. */
export const withUnsent = (
  { entries, contextId }: Conversation,
  message: Message,
  before: Pick<Conversation, 'status' | 'taskId'>,
): Conversation => ({
  ...before,
  contextId,
  entries: put(entries, toEntry(message, message.taskId, unsent)),
});

export const isUnsent = (entry: Entry): boolean => entry.kind === 'message' && entry.state === unsent;

export function withResult(conversation: Conversation, result: StreamResult): Conversation {
  const { task, message, statusUpdate, artifactUpdate } = result;
  if (task) return withTask(conversation, task);
  if (statusUpdate) {
    const { taskId, contextId, status } = statusUpdate;
    return {
      ...conversation,
      contextId,
      taskId,
      status,
      entries: putStatus(conversation.entries, taskId, status),
    };
  }
  if (artifactUpdate) {
    const { taskId, artifact, append = false } = artifactUpdate;
    return { ...conversation, entries: putArtifact(conversation.entries, taskId, artifact, append) };
  }
  if (!message) return conversation;
  return {
    ...conversation,
    contextId: message.contextId ?? conversation.contextId,
    status: { state: 'TASK_STATE_COMPLETED' },
    entries: put(conversation.entries, toEntry(message, undefined)),
  };
}

export function withTask(conversation: Conversation, task: Task): Conversation {
  const { id, contextId, status, history = [], artifacts = [] } = task;
  let { entries } = conversation;
  for (const message of history) entries = put(entries, toEntry(message, id));
  for (const artifact of artifacts) entries = putArtifact(entries, id, artifact, false);
  return { contextId, taskId: id, status, entries: putStatus(entries, id, status) };
}

const toEntry = (message: Message, taskId: string | undefined, state?: string): Entry => ({
  kind: 'message',
  key: `message ${message.messageId}`,
  taskId,
  message,
  state,
});

/** What is missing to go on is shown beside the conversation, not as something that was said. */
function putStatus(
  entries: readonly Entry[],
  taskId: string,
  { state, message }: TaskStatus,
): readonly Entry[] {
  if (!message || state === 'TASK_STATE_AUTH_REQUIRED') return entries;
  return put(entries, toEntry(message, taskId, state));
}

function putArtifact(
  entries: readonly Entry[],
  taskId: string,
  artifact: Artifact,
  append: boolean,
): readonly Entry[] {
  const key = `artifact ${taskId} ${artifact.artifactId}`;
  const known = entries.find((entry) => entry.key === key);
  const before = append && known?.kind === 'artifact' ? (known.artifact.parts ?? []) : [];
  const parts = joinParts([...before, ...(artifact.parts ?? [])]);
  return put(entries, { kind: 'artifact', key, taskId, artifact: { ...artifact, parts } });
}

/** In the place that it has, or at the end. */
function put(entries: readonly Entry[], entry: Entry): readonly Entry[] {
  const at = entries.findIndex(({ key }) => key === entry.key);
  return at === -1 ? [...entries, entry] : entries.with(at, entry);
}

/** Consecutive texts become one, as the service combines the chunks of an artifact. */
function joinParts(parts: readonly Part[]): readonly Part[] {
  const joined: Part[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (last?.text !== undefined && part.text !== undefined)
      joined[joined.length - 1] = { text: last.text + part.text };
    else joined.push(part);
  }
  return joined;
}

/** Without a response that only repeats the text that a model has streamed before, and without empty bubbles. */
export function listShown(entries: readonly Entry[]): readonly Entry[] {
  const texts = new Set<string>();
  return entries.filter((entry) => {
    const text = readText(partsOf(entry));
    if (entry.kind === 'message') return partsOf(entry).length > 0;
    const identity = `${entry.taskId} ${text}`;
    const isRepeated = entry.artifact.artifactId === 'response' && text !== undefined && texts.has(identity);
    if (text) texts.add(identity);
    return !isRepeated && text !== '';
  });
}

export const partsOf = (entry: Entry): readonly Part[] =>
  entry.kind === 'message' ? entry.message.parts : (entry.artifact.parts ?? []);

/** Undefined if there is more than one text. */
function readText([first, ...others]: readonly Part[]): string | undefined {
  return others.length === 0 ? (first?.text ?? (first === undefined ? '' : undefined)) : undefined;
}

/** The data part of a status with this member: what the agent asks, or what it needs. */
export const findStatusData = <T>(status: TaskStatus | undefined, member: string): T | undefined => {
  const parts = status?.message?.parts ?? [];
  const found = parts.find(({ data }) => typeof data === 'object' && data !== null && member in data);
  return found?.data as T | undefined;
};
