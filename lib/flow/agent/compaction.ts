// Makes room in the conversation of an agent. The oldest results of tools are replaced by a text that says how much was
// dropped; if that is not enough, the oldest turns are removed, and then results of the last turns are replaced. The
// first message always remains.
import { jsonBytes } from '#lib/json/size.ts';
import type { NodeContext } from '../engine/node-context.ts';
import { isList, isObject } from '../format/json-value.ts';
import { limits } from '../format/limits.ts';
import type { AgentMemory, Conversation, Use } from './memory.ts';

interface Dropped {
  readonly results: number;
  readonly turns: number;
  readonly bytes: number;
}

/** Keeps the memory of an agent within its limit: that of its conversation and of those of its child agents. */
export function limitMemory(memory: AgentMemory, context: NodeContext): void {
  const bytes = jsonBytes(memory);
  if (bytes <= limits.compactionBytes) return;
  let excess = bytes - limits.compactedBytes;
  const all = listConversations(memory.conversation, '');
  for (const { conversation, label } of all.sort((a, b) => b.bytes - a.bytes)) {
    if (excess <= 0) return;
    const dropped = compact(conversation, Math.max(0, measure(conversation) - excess));
    excess -= dropped.bytes;
    noteDropped(context, label, dropped, `its memory was above ${limits.compactionBytes} bytes`);
  }
}

/** Halves a conversation that is too long for the model. False if there is nothing to drop. */
export function halve(conversation: Conversation, context: NodeContext, label: string): boolean {
  const dropped = compact(conversation, Math.floor(measure(conversation) / 2));
  noteDropped(context, label, dropped, 'it was too long for the model');
  return dropped.bytes > 0;
}

interface LabelledConversation {
  readonly conversation: Conversation;
  /** Of its log entries. */
  readonly label: string;
  readonly bytes: number;
}

/** With those of child agents, which the uses of them keep. */
function listConversations(conversation: Conversation, label: string): LabelledConversation[] {
  const children = conversation.uses.flatMap(({ name, kept }) =>
    isConversation(kept) ? listConversations(kept, `${name}: `) : [],
  );
  return [{ conversation, label, bytes: measure(conversation) }, ...children];
}

const isConversation = (kept: unknown): kept is Conversation =>
  isObject(kept as Use['kept']) && isList((kept as Partial<Conversation>).messages ?? null);

const measure = ({ messages, uses }: Conversation): number =>
  uses.reduce((bytes, { result }) => bytes + jsonBytes(result), jsonBytes(messages));

function noteDropped(context: NodeContext, label: string, dropped: Dropped, why: string): void {
  const { results, turns, bytes } = dropped;
  if (bytes === 0) return;
  const what = [
    ...(results > 0 ? [`${results} ${results === 1 ? 'result' : 'results'} of tools`] : []),
    ...(turns > 0 ? [`${turns} whole ${turns === 1 ? 'turn' : 'turns'}`] : []),
  ].join(' and ');
  const message = `${label}dropped ${what} of the conversation, ${bytes} bytes, because ${why}.`;
  context.note({ event: 'compacted', level: 'warn', message });
}

/** Makes the conversation at most `max` bytes long, as far as possible. */
function compact(conversation: Conversation, max: number): Dropped {
  const before = measure(conversation);
  let bytes = before;
  let results = 0;
  const replaceResults = (from: number, to: number) => {
    for (let index = from; index < to && bytes > max; index++) {
      const saved = replaceResult(conversation.messages, index);
      bytes -= saved;
      if (saved > 0) results++;
    }
  };
  replaceResults(0, findLastTurns(conversation));
  const turns = bytes > max ? removeTurns(conversation, bytes - max) : 0;
  bytes = measure(conversation);
  replaceResults(0, conversation.messages.length);
  for (const use of conversation.uses) {
    if (bytes <= max || use.result === null) continue;
    const saved = findSaving(use.result);
    if (saved === 0) continue;
    use.result = stub(use.result);
    bytes -= saved;
    results++;
  }
  return { results, turns, bytes: before - bytes };
}

/** Turns that are dropped only if nothing else is left. */
const lastTurns = 2;

/** The index of the first message of the last turns. */
function findLastTurns({ messages }: Conversation): number {
  const starts = messages.flatMap(({ role }, index) => (role === 'assistant' ? [index] : []));
  return starts.at(-lastTurns) ?? starts[0] ?? messages.length;
}

/** Returns the bytes that it saves. The message is a new object: a model may still read the old one. */
function replaceResult(messages: Conversation['messages'], index: number): number {
  const message = messages[index];
  if (message?.role !== 'tool') return 0;
  const saved = findSaving(message.content);
  if (saved > 0) messages[index] = { ...message, content: stub(message.content) };
  return saved;
}

const stub = (content: string) =>
  `[Dropped to make room in the conversation: ${Buffer.byteLength(content)} bytes.]`;

/** Zero for a text that is not longer than its replacement, such as one that was replaced before. */
const findSaving = (content: string) => Math.max(0, jsonBytes(content) - jsonBytes(stub(content)));

/** Removes the oldest turns before the last ones, until that has saved so many bytes. */
function removeTurns(conversation: Conversation, bytes: number): number {
  const { messages } = conversation;
  const end = findLastTurns(conversation);
  const first = messages.findIndex(({ role }) => role === 'assistant');
  let saved = 0;
  let turns = 0;
  let next = first;
  while (next !== -1 && next < end && (saved < bytes || messages[next]?.role !== 'assistant')) {
    if (messages[next]?.role === 'assistant') turns++;
    saved += jsonBytes(messages[next]);
    next++;
  }
  if (turns > 0) messages.splice(first, next - first);
  conversation.dropped_turns += turns;
  return turns;
}
