// What an agent has made of a message, out of its task or its message: state, text and data. Files are left out: a flow has no place for them.
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
const task = z.object({
  id: z.string(),
  contextId: z.string().optional(),
  status: z.object({ state: z.string(), message: content.optional() }),
  artifacts: z.array(content).optional(),
  history: z.array(content.extend({ role: z.string().optional() })).optional(),
});
const message = content.extend({ taskId: z.string().optional(), contextId: z.string().optional() });

/** Where a task ends, or waits for somebody (A2A §4.1.3). */
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
  /** The task goes on. */
  | { readonly taskId: string };

export function progressOf(result: SendMessageResult | Task, host: string): Progress {
  const plain: unknown = 'status' in result ? Task.toJSON(result) : Message.toJSON(result);
  if (isDeeperThan(plain, limits.valueDepth + envelopeDepth)) throw tooDeep(host);
  if (!('status' in result)) return { answer: answerOfMessage(message.parse(plain)) };
  const parsed = task.parse(plain);
  const { state } = parsed.status;
  if (!isSettled(state)) return { taskId: parsed.id };
  return { answer: answerOfTask(parsed, states[state]) };
}

/** Task, artifacts, parts, data. */
const envelopeDepth = 6;

const isSettled = (state: string): state is keyof typeof states => Object.hasOwn(states, state);

const answerOfMessage = ({ parts: said = [], taskId, contextId }: z.infer<typeof message>): AgentAnswer => ({
  state: 'completed',
  ...idsOf(taskId, contextId),
  ...contentOf(said),
});

/** Results are in artifacts, what an agent asks or complains about is in its status; some agents only leave a last message. */
function answerOfTask(
  { id, contextId, status, artifacts = [], history = [] }: z.infer<typeof task>,
  state: AgentAnswer['state'],
): AgentAnswer {
  const results = artifacts.flatMap((artifact) => artifact.parts ?? []);
  const said = status.message?.parts ?? [];
  const last = history.findLast(({ role }) => role === 'ROLE_AGENT')?.parts ?? [];
  const order = state === 'completed' ? [results, said, last] : [said, results, last];
  const chosen = order.find((some) => some.length > 0) ?? [];
  return { state, ...idsOf(id, contextId), ...contentOf(chosen) };
}

const idsOf = (task_id: string | undefined, context_id: string | undefined) => ({
  ...(task_id && { task_id }),
  ...(context_id && { context_id }),
});

function contentOf(some: readonly z.infer<typeof part>[]): Pick<AgentAnswer, 'text' | 'data'> {
  const text = some.flatMap((each) => each.text ?? []).join('\n');
  const data = some.flatMap((each) => (each.data === undefined ? [] : [each.data]));
  const [only] = data;
  if (data.length === 0 || only === undefined) return { text };
  return { text, data: data.length === 1 ? only : data };
}

const tooDeep = (host: string) =>
  new NodeError('a2a.bad_answer', `The answer of ${host} is nested deeper than ${limits.valueDepth} levels.`);
