// A conversation that outlives runs: the turns before this one are read before the model is asked, and the new turn is
// added after it has answered. Loaded for flows that have one.
import * as z from 'zod';
import { jsonBytes } from '#lib/json/size.ts';
import { lazy } from '#lib/lazy.ts';
import { fullJitterMs } from '#lib/retry.ts';
import { truncateToBytes } from '#lib/truncate.ts';
import type { NodeContext } from '../engine/node-context.ts';
import { type Render, template } from '../expression/template.ts';
import { definedOnly } from '../format/json-value.ts';
import { limits } from '../format/limits.ts';
import { endsRun, NodeError } from '../format/node-error.ts';
import type { StoreKey } from '../ports/store.ts';
import type { AskForText, ConversationFields, OpenConversation, SaidMessage } from './conversation-field.ts';
import { requireKey } from './store-key.ts';

/** What the user said and the model answered. `by` identifies the execution that added it. */
const storedConversation = /* @__PURE__ */ lazy(() =>
  z.object({
    summary: z.string().optional(),
    turns: z.array(z.object({ by: z.string(), user: z.string(), assistant: z.string() })),
  }),
);
type StoredConversation = z.infer<ReturnType<typeof storedConversation>>;

/** Undefined if the run has none. `ask` is for summaries. */
export function prepareStored(fields: ConversationFields) {
  const key = fields.key === undefined ? undefined : template(fields.key);
  return async (context: NodeContext, ask: AskForText): Promise<OpenConversation | undefined> => {
    const found = await findKey(key, context);
    return found && (await openConversation(fields, found, { context, ask }));
  };
}

async function findKey(key: Render | undefined, context: NodeContext): Promise<StoreKey | undefined> {
  if (key) return { space: 'conversation', key: requireKey(await key(context.at)) };
  if (context.hasConversation) return { space: 'context', key: '' };
  const message = 'no conversation: this run has no A2A context, and `conversation` has no `key`';
  context.note({ event: 'turn', level: 'warn', message });
  return undefined;
}

interface Surroundings {
  readonly context: NodeContext;
  readonly ask: AskForText;
}

async function openConversation(
  fields: ConversationFields,
  key: StoreKey,
  { context, ask }: Surroundings,
): Promise<OpenConversation> {
  const { idempotencyKey: by } = context;
  const read = async () => {
    const found = await context.readStored(key);
    const { summary, turns } = storedConversation().parse(found?.value ?? { turns: [] });
    // An execution that is repeated has added its turn already.
    return { version: found?.version ?? null, summary, turns: turns.filter((turn) => turn.by !== by) };
  };
  const begun = await read();
  const add = async (user: string, assistant: string) => {
    if (user === '' || assistant === '') return;
    let before = begun;
    for (let attempt = 1; attempt <= attemptsMax; attempt++) {
      const whole = { summary: before.summary, turns: [...before.turns, newTurn(by, user, assistant)] };
      const value = await shorten(whole, fields, { context, ask });
      const keepDays = fields.keep_days ?? limits.storeDaysDefault;
      const write = { ...key, value: definedOnly(value), ifVersion: before.version, writer: by, keepDays };
      if ((await context.writeStored(write)) !== undefined) return;
      // Without pauses, the slowest of many writers would find another version each time.
      await context.sleep(fullJitterMs(attempt, pauses));
      before = await read();
    }
    throw new NodeError('store.conflict', 'Too many runs add to the conversation at the same time.');
  };
  return { messages: toMessages(begun, fields), add };
}

/** Other executions may add turns at the same time: some ten seconds, which is enough for dozens of them. */
const attemptsMax = 20;
const pauses = { pauseMs: 20, pauseMsMax: 1_000 };

/** A turn is at most half of a conversation. */
const textBytesMax = limits.conversationBytes / 4;

const newTurn = (by: string, user: string, assistant: string) => ({
  by,
  user: truncateToBytes(user, textBytesMax),
  assistant: truncateToBytes(assistant, textBytesMax),
});

/** Drops the oldest turns beyond the limits; with `summary`, half of all at once, into the summary. */
async function shorten(
  conversation: StoredConversation,
  fields: ConversationFields,
  surroundings: Surroundings,
): Promise<StoredConversation> {
  const { turns, summary } = conversation;
  const kept = countFitting(turns, fields);
  if (kept === turns.length) return conversation;
  if (!fields.summary) return { turns: turns.slice(-kept) };
  const left = Math.ceil(kept / 2);
  const dropped = { summary, turns: turns.slice(0, -left) };
  return { summary: await summarize(dropped, surroundings), turns: turns.slice(-left) };
}

/** How many of the latest turns fit, at least one. */
function countFitting(turns: StoredConversation['turns'], fields: ConversationFields): number {
  const turnsMax = fields.turns ?? limits.conversationTurnsDefault;
  const tokensMax = fields.max_tokens ?? Number.POSITIVE_INFINITY;
  let bytes = summaryBytesMax;
  let tokens = 0;
  let count = 0;
  for (const turn of turns.toReversed()) {
    bytes += jsonBytes(turn);
    tokens += Math.ceil((Buffer.byteLength(turn.user) + Buffer.byteLength(turn.assistant)) / bytesPerToken);
    if (count > 0 && (count === turnsMax || bytes > limits.conversationBytes || tokens > tokensMax)) break;
    count++;
  }
  return count;
}

const bytesPerToken = 4;
const summaryBytesMax = 8_192;

/** If the model cannot, the former summary remains, and the log says so. */
async function summarize(
  dropped: StoredConversation,
  { context, ask }: Surroundings,
): Promise<string | undefined> {
  try {
    const said = [...spokenMessages(dropped), { role: 'user', content: summaryPrompt } as const];
    return truncateToBytes(await ask(said), summaryBytesMax);
  } catch (error) {
    if (!(error instanceof NodeError) || endsRun(error.code)) throw error;
    context.noteFallback(`${error.code}: ${error.message} The oldest turns are dropped without a summary.`);
    return dropped.summary;
  }
}

const summaryPrompt =
  'Summarize our conversation so far in at most 300 words, for yourself: what the user wants and has told, what was decided, what is open.';

/** The summary is an answer of the model, so that what a user has said never becomes an instruction. */
const spokenMessages = ({ summary, turns }: StoredConversation): readonly SaidMessage[] => [
  ...(summary === undefined
    ? []
    : [
        { role: 'user' as const, content: 'What was said before?' },
        { role: 'assistant' as const, content: summary },
      ]),
  ...turns.flatMap(({ user, assistant }) => [
    { role: 'user' as const, content: user },
    { role: 'assistant' as const, content: assistant },
  ]),
];

function toMessages(
  { summary, turns }: StoredConversation,
  fields: ConversationFields,
): readonly SaidMessage[] {
  const seen = turns.length === 0 ? [] : turns.slice(-countFitting(turns, fields));
  return spokenMessages({ summary, turns: seen });
}
