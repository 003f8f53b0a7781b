// Another agent as a flow names and talks to it: by its registry id, by its URL, or by what it must be like. A question of that agent is asked
// by this run, and the answer goes to the same task. Shared by `a2a` nodes and tools of agents.
import * as z from 'zod';
import { registryId } from '#lib/ids.ts';
import type { Json } from '#lib/json/json.ts';
import { lazy } from '#lib/lazy.ts';
import { preview, shortened } from '../engine/log-preview.ts';
import type { NodeContext } from '../engine/node-context.ts';
import { asText } from '../expression/text.ts';
import { staticUrlProblem } from '../format/egress.ts';
import { limits } from '../format/limits.ts';
import { NodeError } from '../format/node-error.ts';
import { named, narrowed } from '../format/notes.ts';
import { hasTemplate } from '../format/template-segments.ts';
import type { AgentAnswer, AgentFilter, AgentRequest } from '../ports/agent.ts';

const text = () =>
  narrowed(
    z.string().min(1).max(256),
    (value) => !hasTemplate(value),
    'expected no expression: which agents a flow calls is known before it runs',
    { not: { pattern: '\\{\\{' } },
  );
const texts = () => z.array(text()).min(1).max(20).optional();

export const agentFilter = lazy(() =>
  named(
    'agent_filter',
    z.strictObject({
      q: text().optional(),
      status: z.enum(['test', 'live']).optional(),
      visibility: z.enum(['public', 'organization']).optional(),
      tags: texts(),
      input_modes: texts(),
      output_modes: texts(),
    }),
  ),
);

export type SavedFilter = z.infer<ReturnType<typeof agentFilter>>;

/** Undefined filters are left out. */
export const filterOf = (filter: SavedFilter): AgentFilter =>
  Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));

/** What is wrong with the name of an agent, undefined when nothing is. */
export function agentProblem(agent: string, egress: readonly string[]): string | undefined {
  if (registryId.safeParse(agent).success) return undefined;
  if (!/^[a-z]+:/i.test(agent))
    return 'expected a registry id (reg_…), or the URL of an agent or of its card';
  return staticUrlProblem(agent, egress);
}

export type Target = Pick<AgentRequest, 'agent' | 'connection' | 'egress'>;
export type Message = Pick<AgentRequest, 'text' | 'data'>;

/** What is kept while the agent waits for an answer. */
const keptTalk = lazy(() =>
  z.object({
    agent: z.string(),
    task_id: z.string().nullable(),
    context_id: z.string().nullable(),
    asked: z.string(),
  }),
);

export type Talk =
  | { readonly status: 'completed'; readonly answer: AgentAnswer }
  | { readonly status: 'asks'; readonly prompt: string; readonly kept: Json };

/** The agent that a talk has begun with, where it was chosen among several. */
export const agentOf = (kept: Json | undefined): string | undefined => keptTalk().safeParse(kept).data?.agent;

/** Begins the conversation or, with what was kept and an answer, continues it. Throws `a2a.*` for a task that ends in any other way than completed. */
export async function talk(
  context: NodeContext,
  target: Target,
  message: Message,
  { kept, answer }: { readonly kept: Json | undefined; readonly answer: Json | undefined },
): Promise<Talk> {
  const before = keptTalk().safeParse(kept).data;
  if (before && answer === undefined) return { status: 'asks', prompt: before.asked, kept: before };
  const { chain } = context;
  const { steps, modelCalls: model_calls, tokens, ms, depth } = context.left();
  const metadata = { agent_flow: { chain, left: { steps, model_calls, tokens, ms: Math.round(ms), depth } } };
  const said = before ? { ...messageOf(answer ?? null), ...idsOf(before) } : message;
  const answered = await context.agent({ ...target, ...said, metadata });
  if (answered.state === 'completed') return { status: 'completed', answer: answered };
  if (answered.state !== 'input_required') throw failure(target.agent, answered);
  const asked = shortened(answered.text, limits.promptBytes / 4) || 'The agent asks for more.';
  const { task_id = null, context_id = null } = answered;
  return { status: 'asks', prompt: asked, kept: { agent: target.agent, task_id, context_id, asked } };
}

const messageOf = (answer: Json): Message =>
  typeof answer === 'object' ? { data: answer } : { text: asText(answer) };

const idsOf = ({ task_id, context_id }: z.infer<ReturnType<typeof keptTalk>>) => ({
  ...(task_id !== null && { task_id }),
  ...(context_id !== null && { context_id }),
});

const failure = (agent: string, { state, text }: AgentAnswer) =>
  new NodeError(
    `a2a.${state}`,
    `${agent}: ${words[state] ?? state}${text === '' ? '.' : `: ${preview(text, 300)}`}`,
  );

const words: Readonly<Record<string, string>> = {
  failed: 'the task failed',
  canceled: 'the task was canceled',
  rejected: 'the task was rejected',
  auth_required: 'the agent needs credentials that it does not have',
};
