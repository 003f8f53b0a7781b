// Converts what an agent returns, a task or a message, to the answer of a node: state, text and data. File
// parts are left out, since a flow cannot hold them.
import { Message, type SendMessageResult, Task } from '@a2a-js/sdk';
import * as z from 'zod';
import { limits } from '#lib/flow/format/limits.ts';
import { NodeError } from '#lib/flow/format/node-error.ts';
import type { AgentAnswer } from '#lib/flow/ports/agent.ts';
import { isDeeperThan } from '#lib/json/depth.ts';
import { json } from '#lib/json/json.ts';

const part = z.object({ text: z.string().optional(), data: json.optional() });
const parts = z.array(part).optional();
const content = z.object({ parts });

/** What exceeds the highest limit, by the last call of a model or by agents that it called, counts as all of it. */
const count = (max: number) =>
  z
    .int()
    .min(0)
    .transform((value) => Math.min(value, max));
const report = z.object({
  agent_flow: z.object({
    used: z.object({
      steps: count(limits.stepsMax),
      model_calls: count(limits.modelCallsMax),
      tokens: count(limits.tokensMax),
    }),
  }),
});

const task = z.object({
  id: z.string(),
  contextId: z.string().optional(),
  status: z.object({ state: z.string(), message: content.optional() }),
  artifacts: z.array(content).optional(),
  history: z.array(content.extend({ role: z.string().optional() })).optional(),
  metadata: z.unknown().optional(),
});
const message = content.extend({
  taskId: z.string().optional(),
  contextId: z.string().optional(),
  metadata: z.unknown().optional(),
});

/** The terminal and interrupted states of a task (A2A §4.1.3). */
const states = {
  TASK_STATE_COMPLETED: 'completed',
  TASK_STATE_FAILED: 'failed',
  TASK_STATE_CANCELED: 'canceled',
  TASK_STATE_REJECTED: 'rejected',
  TASK_STATE_INPUT_REQUIRED: 'input_required',
  TASK_STATE_AUTH_REQUIRED: 'auth_required',
} as const satisfies Record<string, AgentAnswer['state']>;

export type Progress =
  | { readonly answer: AgentAnswer }
  /** The task is still in progress. */
  | { readonly taskId: string };

export function toProgress(result: SendMessageResult | Task, host: string): Progress {
  const plain: unknown = 'status' in result ? Task.toJSON(result) : Message.toJSON(result);
  if (isDeeperThan(plain, limits.valueDepth + envelopeDepth)) throw tooDeep(host);
  if (!('status' in result)) return { answer: toMessageAnswer(message.parse(plain)) };
  const parsed = task.parse(plain);
  const { state } = parsed.status;
  if (!isSettled(state)) return { taskId: parsed.id };
  return { answer: toTaskAnswer(parsed, states[state]) };
}

/** The levels of task, artifacts, parts and data around a value. */
const envelopeDepth = 6;

const isSettled = (state: string): state is keyof typeof states => Object.hasOwn(states, state);

const toMessageAnswer = ({
  parts: content = [],
  taskId,
  contextId,
  metadata,
}: z.infer<typeof message>): AgentAnswer => ({
  state: 'completed',
  ...readUse(metadata),
  ...toIds(taskId, contextId),
  ...toContent(content),
});

/**
 * Results are in artifacts, questions and errors in the status message; some agents only leave a last
 * message.
 */
function toTaskAnswer(
  { id, contextId, status, artifacts = [], history = [], metadata }: z.infer<typeof task>,
  state: AgentAnswer['state'],
): AgentAnswer {
  const results = artifacts.flatMap((artifact) => artifact.parts ?? []);
  const statusParts = status.message?.parts ?? [];
  const last = history.findLast(({ role }) => role === 'ROLE_AGENT')?.parts ?? [];
  const order = state === 'completed' ? [results, statusParts, last] : [statusParts, results, last];
  const chosen = order.find((some) => some.length > 0) ?? [];
  return { state, ...readUse(metadata), ...toIds(id, contextId), ...toContent(chosen) };
}

/** The metadata with which agents of this service report what a task has used. */
function readUse(metadata: unknown): Pick<AgentAnswer, 'used'> {
  const { data } = report.safeParse(metadata);
  if (!data) return {};
  const { steps, model_calls: modelCalls, tokens } = data.agent_flow.used;
  return { used: { steps, modelCalls, tokens } };
}

const toIds = (task_id: string | undefined, context_id: string | undefined) => ({
  ...(task_id && { task_id }),
  ...(context_id && { context_id }),
});

function toContent(some: readonly z.infer<typeof part>[]): Pick<AgentAnswer, 'text' | 'data'> {
  const text = some.flatMap((each) => each.text ?? []).join('\n');
  const data = some.flatMap((each) => (each.data === undefined ? [] : [each.data]));
  const [only] = data;
  if (data.length === 0 || only === undefined) return { text };
  return { text, data: data.length === 1 ? only : data };
}

const tooDeep = (host: string) =>
  new NodeError('a2a.bad_answer', `The answer of ${host} is nested deeper than ${limits.valueDepth} levels.`);
