// `a2a`: sends a message to another agent and waits for the result. Output: `{text, data, task_id,
// context_id, state}`.
import * as z from 'zod';
import type { Json } from '#lib/json/json.ts';
import { lazy } from '#lib/lazy.ts';
import { preview } from '../engine/log-preview.ts';
import type { NodeContext } from '../engine/node-context.ts';
import { checkRequestSize } from '../engine/request-size.ts';
import { template } from '../expression/template.ts';
import { asText } from '../expression/text.ts';
import { NodeError } from '../format/node-error.ts';
import { everyNode, json, onward } from '../format/node-fields.ts';
import { atLeastOne, exactlyOne, ruled } from '../format/notes.ts';
import type { AgentAnswer } from '../ports/agent.ts';
import { connectionProblem } from './connection-use.ts';
import type { NodeChecks, NodeType } from './node-type.ts';
import {
  agentFilter,
  agentProblem,
  contextId,
  extensions,
  findKeptAgent,
  forgetFormerTask,
  type Message,
  prepareContextId,
  sendMessage,
  toAgentFilter,
  verify,
} from './remote-agent.ts';
import { agentAddress } from './url-field.ts';

export const a2aSchema = /* @__PURE__ */ lazy(() =>
  ruled(
    z
      .strictObject({
        type: z.literal('a2a'),
        ...everyNode(),
        ...onward(),
        agent: agentAddress().optional().meta({
          description:
            'The agent: a registry id, or a URL with its host in `egress`; literal. Either this or `discover`.',
        }),
        discover: agentFilter().optional().meta({
          description: 'Filters that find the agent, instead of `agent`; the best match is called.',
        }),
        message: z
          .string()
          .min(1)
          .optional()
          .meta({ description: 'Text of the message; template. Either this, `data` or both.' }),
        data: json().optional().meta({ description: 'Data of the message: any JSON value with templates.' }),
        context_id: contextId(),
        verify: verify(),
        extensions: extensions(),
        connection: z
          .string()
          .optional()
          .meta({ description: 'Name of the connection whose credential is sent to the agent.' }),
      })
      .meta({
        description:
          'Sends a message to another agent and waits for its answer; the output is its text, data, state and ids.',
      }),
    [
      exactlyOne('agent', 'discover'),
      atLeastOne(['message', 'data'], 'expected `message` or `data`, or both'),
    ],
  ),
);

type A2aNode = z.infer<ReturnType<typeof a2aSchema>>;

export const a2aChecks: NodeChecks<A2aNode> = {
  check: ({ agent, connection }, around, report) => {
    const problem = agent === undefined ? undefined : agentProblem(agent, around.egress);
    if (problem) report(['agent'], problem);
    const misuse = connectionProblem(connection, agent ?? '', around);
    if (misuse) report(['connection'], misuse);
  },
};

export const a2a: NodeType<A2aNode> = {
  templates: ['message', 'data', 'context_id'],
  isLong: true,
  pauses: () => true,
  uses: ({ agent, discover, connection }) => ({
    agents: agent === undefined ? [] : [agent],
    discovers: discover ? [discover] : [],
    connections: connection === undefined ? [] : [connection],
  }),
  prepare: (node, { egress }) => {
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
        timeoutSeconds: node.timeout_seconds,
      });
      if (result.status === 'completed')
        return { ...toStep(agent, result.answer), contexts: result.contexts };
      if (result.status === 'waits')
        return { pause: { kind: 'until', at: result.until }, memory: result.kept };
      return { pause: { kind: 'input', purpose: 'ask', prompt: result.prompt }, memory: result.kept };
    };
  },
};

function prepareMessage({ message, data, context_id }: A2aNode): (context: NodeContext) => Promise<Message> {
  const text = message === undefined ? undefined : template(message);
  const value = data === undefined ? undefined : template(data);
  const conversation = prepareContextId(context_id);
  return async ({ at }) => ({
    ...(text && { text: asText(await text(at)) }),
    ...(value && { data: checkRequestSize('data', await value(at)) }),
    context_id: await conversation(at),
  });
}

async function discoverAgent({ discover = {} }: A2aNode, context: NodeContext): Promise<string> {
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
