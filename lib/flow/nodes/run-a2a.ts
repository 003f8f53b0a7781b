// Runs an `a2a` node. Loaded with the first flow that has one.
import type { Json } from '#lib/json/json.ts';
import { preview } from '../engine/log-preview.ts';
import type { NodeContext, RunNode } from '../engine/node-context.ts';
import { checkRequestSize } from '../engine/request-size.ts';
import { template } from '../expression/template.ts';
import { asText } from '../expression/text.ts';
import { NodeError } from '../format/node-error.ts';
import type { AgentAnswer } from '../ports/agent.ts';
import {
  findKeptAgent,
  forgetFormerTask,
  type Message,
  prepareContextId,
  sendMessage,
  toAgentFilter,
} from './agent-message.ts';
import type { Surroundings } from './node-type.ts';
import type { SavedFilter } from './remote-agent.ts';

/** The fields of the node that its execution reads. */
export interface A2aFields {
  readonly agent?: string | undefined;
  readonly discover?: SavedFilter | undefined;
  readonly message?: string | undefined;
  readonly data?: Json | undefined;
  readonly context_id?: string | null | undefined;
  readonly connection?: string | undefined;
  readonly verify?: 'none' | 'require' | undefined;
  readonly extensions?: readonly string[] | undefined;
  readonly timeout_seconds?: number | undefined;
}

export function prepareRun(node: A2aFields, { egress }: Surroundings): RunNode {
  const message = prepareMessage(node);
  const target = {
    egress,
    ...(node.connection !== undefined && { connection: node.connection }),
    ...(node.verify === 'require' && { isCardVerified: true }),
    ...(node.extensions && { extensions: node.extensions }),
  };
  return async (context) => {
    const { answer } = context;
    const kept = forgetFormerTask(context.memory, context.attempt);
    const agent = node.agent ?? findKeptAgent(kept) ?? (await discoverAgent(node, context));
    const content = kept === undefined ? await message(context) : {};
    const result = await sendMessage(context, { agent, ...target }, content, {
      kept,
      answer: answer?.value,
      contexts: context.contexts,
      keepEnded: context.remember,
      timeoutSeconds: node.timeout_seconds,
    });
    if (result.status === 'completed') return { ...toStep(agent, result.answer), contexts: result.contexts };
    if (result.status === 'waits') return { pause: { kind: 'until', at: result.until }, memory: result.kept };
    return { pause: { kind: 'input', purpose: 'ask', prompt: result.prompt }, memory: result.kept };
  };
}

function prepareMessage({
  message,
  data,
  context_id,
}: A2aFields): (context: NodeContext) => Promise<Message> {
  const text = message === undefined ? undefined : template(message);
  const value = data === undefined ? undefined : template(data);
  const conversation = prepareContextId(context_id);
  return async ({ at }) => ({
    ...(text && { text: asText(await text(at)) }),
    ...(value && { data: checkRequestSize('data', await value(at)) }),
    context_id: await conversation(at),
  });
}

async function discoverAgent({ discover = {} }: A2aFields, context: NodeContext): Promise<string> {
  const [best] = await context.discover(toAgentFilter(discover));
  if (best) return best.agent;
  throw new NodeError('a2a.none_found', 'No agent that this run may call fits `discover`.');
}

function toStep(agent: string, { text, data, task_id, context_id, state }: AgentAnswer) {
  const output: Record<string, Json> = {
    text,
    data: data ?? null,
    task_id: task_id ?? null,
    context_id: context_id ?? null,
    state,
  };
  return { output, note: `${agent} answered ${preview(text === '' ? (data ?? '') : text, 200)}` };
}
