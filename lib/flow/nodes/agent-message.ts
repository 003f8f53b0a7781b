// Messages to another agent. A question of that agent becomes a question of this run, and the answer goes to the same
// task. Shared by `a2a` nodes and tools of agents.
import * as z from 'zod';
import type { Json } from '#lib/json/json.ts';
import { lazy } from '#lib/lazy.ts';
import { preview, shortened } from '../engine/log-preview.ts';
import type { NodeContext } from '../engine/node-context.ts';
import type { RenderAt } from '../expression/evaluation.ts';
import { template } from '../expression/template.ts';
import { asText } from '../expression/text.ts';
import { limits } from '../format/limits.ts';
import { NodeError } from '../format/node-error.ts';
import { findContext, type RemoteContexts, rememberContext } from '../format/remote-contexts.ts';
import type { AgentAnswer, AgentFilter, AgentRequest } from '../ports/agent.ts';
import type { SavedFilter } from './remote-agent.ts';

/** Omits undefined filters. */
export const toAgentFilter = (filter: SavedFilter): AgentFilter =>
  Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));

/** Undefined if the flow does not say which conversation to continue. */
export type RenderContextId = (at: RenderAt) => Promise<string | null | undefined>;

export function prepareContextId(value: string | null | undefined): RenderContextId {
  if (value === undefined) return async () => undefined;
  const render = template(value);
  return async (at) => readContextId(await render(at));
}

function readContextId(value: Json): string | null {
  if (value === null || value === '') return null;
  if (typeof value === 'string' && value.length <= limits.contextIdChars) return value;
  throw new NodeError(
    'a2a.bad_context',
    `context_id: expected a text of at most ${limits.contextIdChars} characters, or null.`,
  );
}

export type Target = Pick<AgentRequest, 'agent' | 'connection' | 'isCardVerified' | 'extensions' | 'egress'>;
export interface Message extends Pick<AgentRequest, 'text' | 'data'> {
  /** Null for a new conversation, undefined for the last one with the agent. */
  readonly context_id?: string | null | undefined;
}

/** What the node remembers while the agent waits for an answer. */
const keptConversation = /* @__PURE__ */ lazy(() =>
  z.object({
    agent: z.string(),
    task_id: z.string().nullable(),
    context_id: z.string().nullable(),
    asked: z.string(),
    /** How many questions the agent has asked. Snapshots of earlier releases lack it. */
    questions: z.number().default(1),
  }),
);

export type MessageResult =
  | { readonly status: 'completed'; readonly answer: AgentAnswer; readonly contexts: RemoteContexts }
  | { readonly status: 'asks'; readonly prompt: string; readonly kept: Json }
  /** The task takes long: the node pauses until then, and the task is read. */
  | { readonly status: 'waits'; readonly until: string; readonly kept: Json };

/** What the node remembers while it is paused and the task of the agent continues. Times are in ms since 1970. */
const keptTask = /* @__PURE__ */ lazy(() =>
  z.object({
    agent: z.string(),
    working: z.string(),
    since: z.number(),
    /** The last time at which the task is read. */
    until: z.number(),
    /** The time limit of the node; null if that of the run ends the wait. */
    limit_seconds: z.number().nullable(),
    questions: z.number(),
    attempt: z.number(),
    /** Whether the agent notifies this service of the task. */
    notified: z.boolean().default(false),
  }),
);
type KeptTask = z.infer<ReturnType<typeof keptTask>>;

/** The agent with which the conversation was begun, if it was chosen among several. */
export const findKeptAgent = (kept: Json | undefined): string | undefined =>
  (keptTask().safeParse(kept).data ?? keptConversation().safeParse(kept).data)?.agent;

/** A task of an earlier attempt has failed: the next attempt begins anew. */
export function forgetFormerTask(kept: Json | undefined, attempt: number): Json | undefined {
  const task = keptTask().safeParse(kept).data;
  return task && task.attempt !== attempt ? undefined : kept;
}

/**
 * Begins the conversation, or continues it with what was remembered and an answer. Throws `a2a.*` for a task
 * that ends in any state but completed.
 */
export async function sendMessage(
  context: NodeContext,
  target: Target,
  message: Message,
  conversation: Conversation,
): Promise<MessageResult> {
  const { kept, answer, contexts, use = '', timeoutSeconds } = conversation;
  const waiting = keptTask().safeParse(kept).data;
  if (waiting) return toResult(context, target, contexts, await readTask(context, target, waiting), waiting);
  const before = keptConversation().safeParse(kept).data;
  if (before && answer === undefined) return { status: 'asks', prompt: before.asked, kept: before };
  const { chain } = context;
  const { steps, modelCalls: model_calls, tokens, ms, depth } = context.left();
  const left = { steps, model_calls, tokens, ms: Math.round(ms), depth };
  const metadata = { agent_flow: { chain, left, idempotent: true } };
  const content = before
    ? { ...toMessage(answer ?? null), ...toIds(before) }
    : chooseContext(message, findContext(contexts, target));
  const questions = before?.questions ?? 0;
  const key = `${context.idempotencyKey}.${use}.${questions}`;
  const task = beginTask(context, target.agent, questions, timeoutSeconds);
  const patience = Number.isFinite(context.taskPatienceMs) && { patienceMs: context.taskPatienceMs };
  const answered = await context.agent({ key, ...target, ...content, metadata, ...patience });
  if (before && hasFailed(answered) && answered.task_id !== undefined)
    await conversation.keepEnded?.({ ...task, working: answered.task_id });
  return toResult(context, target, contexts, answered, task);
}

const hasFailed = ({ state }: AgentAnswer): boolean =>
  state !== 'working' && state !== 'input_required' && state !== 'completed';

/** The wait for a task that is sent now ends when the invocation would have ended that waits for it. */
function beginTask(
  { now, left, attempt }: NodeContext,
  agent: string,
  questions: number,
  seconds = Number.POSITIVE_INFINITY,
): KeptTask {
  const since = now();
  const ms = Math.min(left().ms, limits.runSecondsMax * 1_000);
  const isNodeLimit = seconds * 1_000 <= ms;
  const until = Math.round(since + Math.min(seconds * 1_000, ms));
  const limit_seconds = isNodeLimit ? seconds : null;
  return { agent, working: '', since, until, limit_seconds, questions, attempt, notified: false };
}

async function readTask(context: NodeContext, target: Target, kept: KeptTask): Promise<AgentAnswer> {
  const started_task = kept.working;
  const isLast = context.now() >= kept.until;
  const request = { key: context.idempotencyKey, ...target, metadata: {}, started_task, patienceMs: 0 };
  const answered = await context.agent({ ...request, isReadLater: !isLast }, isLast);
  if (answered.state === 'working' && isLast) throw toTimeout(kept);
  return answered;
}

const toTimeout = ({ limit_seconds, since, until }: KeptTask) =>
  limit_seconds === null
    ? new NodeError('limit.timeout', `The run passed its time limit of ${(until - since) / 1_000} s.`)
    : new NodeError('timeout', `The node passed its time limit of ${limit_seconds} s.`);

/** Milliseconds between two reads of a task in a paused run: the first and the longest, and their share of the wait. */
const intervals = { first: 60_000, max: 300_000 };
/** The same if the agent notifies: these reads are for notifications that are lost. */
const notifiedIntervals = { first: 300_000, max: 900_000 };
const intervalShare = 0.5;

function waitLonger(context: NodeContext, kept: KeptTask): MessageResult {
  const now = context.now();
  const waited = (now - kept.since) * intervalShare;
  const { first, max } = kept.notified ? notifiedIntervals : intervals;
  const interval = Math.min(Math.max(waited, first), max);
  const until = new Date(Math.min(now + interval, kept.until)).toISOString();
  return { status: 'waits', until, kept };
}

/** Throws `a2a.*` for a task that ends in any state but completed. */
function toResult(
  context: NodeContext,
  target: Target,
  contexts: RemoteContexts,
  answered: AgentAnswer,
  task: KeptTask,
): MessageResult {
  const { questions } = task;
  if (answered.state === 'working')
    return waitLonger(context, {
      ...task,
      working: answered.task_id ?? task.working,
      notified: answered.isNotified ?? task.notified,
    });
  if (answered.state === 'completed')
    return {
      status: 'completed',
      answer: answered,
      contexts: rememberContext(contexts, target, answered.context_id),
    };
  if (answered.state !== 'input_required') throw toError(target.agent, answered);
  const asked = shortened(answered.text, limits.promptBytes / 4) || 'The agent asks for more.';
  const { task_id = null, context_id = null } = answered;
  return {
    status: 'asks',
    prompt: asked,
    kept: { agent: target.agent, task_id, context_id, asked, questions: questions + 1 },
  };
}

interface Conversation {
  /** What was remembered when the agent asked a question. */
  readonly kept: Json | undefined;
  readonly answer: Json | undefined;
  /** Identifies the use of a tool in the execution of its node. */
  readonly use?: string;
  /** Limits how long its task may take, pauses included; default: the time that is left of the run. */
  readonly timeoutSeconds?: number | undefined;
  /** The conversations with agents so far. */
  readonly contexts: RemoteContexts;
  /** Remembers that the task has failed after an answer: another attempt does not answer it again. */
  readonly keepEnded?: (kept: Json) => Promise<void>;
}

/** The agent may have forgotten a conversation that only this run remembers. */
function chooseContext({ context_id, ...content }: Message, last: string | undefined): MessageContent {
  if (context_id === null) return content;
  if (context_id !== undefined) return { ...content, context_id };
  return last === undefined ? content : { ...content, context_id: last, isContextOptional: true };
}

type MessageContent = Pick<AgentRequest, 'text' | 'data' | 'context_id' | 'isContextOptional'>;

const toMessage = (answer: Json): MessageContent =>
  typeof answer === 'object' ? { data: answer } : { text: asText(answer) };

const toIds = ({ task_id, context_id }: z.infer<ReturnType<typeof keptConversation>>) => ({
  ...(task_id !== null && { task_id }),
  ...(context_id !== null && { context_id }),
});

const toError = (agent: string, { state, text }: AgentAnswer) =>
  new NodeError(
    `a2a.${state}`,
    `${agent}: ${stateTexts[state] ?? state}${text === '' ? '.' : `: ${preview(text, 300)}`}`,
  );

const stateTexts: Readonly<Record<string, string>> = {
  failed: 'the task failed',
  canceled: 'the task was canceled',
  rejected: 'the task was rejected',
  auth_required: 'the agent needs credentials that it does not have',
};
