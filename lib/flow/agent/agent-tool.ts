// Other agents as tools: one that the flow names, or one that the model chooses among those that match the
// flow's filters.
import type { Json, JsonObject } from '#lib/json/json.ts';
import { shortened } from '../engine/log-preview.ts';
import type { NodeContext } from '../engine/node-context.ts';
import { asText } from '../expression/text.ts';
import { limits } from '../format/limits.ts';
import { findKeptAgent, prepareContextId, sendMessage, toAgentFilter } from '../nodes/agent-message.ts';
import type { Surroundings } from '../nodes/node-type.ts';
import type { SavedFilter } from '../nodes/remote-agent.ts';
import type { FoundAgent } from '../ports/agent.ts';
import type { ToolFields } from './definition.ts';
import type { DiscoveredAgents } from './memory.ts';
import { messageParameters, type Tool, type ToolEnd, type ToolSource, type ToolUse } from './tool.ts';

export function agentTool(fields: ToolFields, agent: string, { egress }: Surroundings): ToolSource {
  const { description = '' } = fields;
  const send = prepareSend(fields, egress);
  const tool = createTool(
    fields,
    { description, parameters: messageParameters, target: `agent ${agent}` },
    (use) => send(use, agent),
  );
  return () => [tool];
}

export function discoverTool(fields: ToolFields, filter: SavedFilter, { egress }: Surroundings): ToolSource {
  const target = `agents found by ${JSON.stringify(filter)}`;
  const { name = '' } = fields;
  const send = prepareSend(fields, egress);
  return async (context, { found }) => {
    const agents = await findChoices(name, filter, context, found);
    if (agents.length === 0) return [];
    const description = `${fields.description ?? ''}\n${agents.map(describeAgent).join('\n')}`;
    const tool = createTool(fields, { description, parameters: choiceParameters(agents), target }, (use) =>
      send(use, findKeptAgent(use.kept.value) ?? asText(use.args.agent)),
    );
    return [tool];
  };
}

const createTool = (
  { name = '', approval }: ToolFields,
  { description, parameters, target }: { description: string; parameters: JsonObject; target: string },
  run: Tool['run'],
): Tool => ({
  declaration: { name, description, parameters },
  target,
  needsApproval: approval === 'always',
  isForeign: false,
  run,
});

/** The agents that were found when the conversation began. */
async function findChoices(
  tool: string,
  filter: SavedFilter,
  context: NodeContext,
  found: DiscoveredAgents[],
): Promise<readonly FoundAgent[]> {
  const known = found.find((one) => one.tool === tool);
  if (known) return known.agents;
  const agents = (await context.discover(toAgentFilter(filter))).slice(0, limits.foundAgentsMax).map(shorten);
  found.push({ tool, agents });
  return agents;
}

/** Shortens what the model sees of it, and the conversation stores. */
const shorten = ({ agent, name, description }: FoundAgent): FoundAgent => ({
  agent,
  name: shortened(name, 100),
  description: shortened(description.replaceAll(/\s+/g, ' '), 200),
});

const describeAgent = ({ agent, name, description }: FoundAgent) => `- ${agent}: ${name}: ${description}`;

const choiceParameters = (found: readonly FoundAgent[]): JsonObject => ({
  type: 'object',
  properties: {
    agent: { enum: found.map(({ agent }) => agent) },
    message: { type: 'string' },
  },
  required: ['agent', 'message'],
  additionalProperties: false,
});

type SendToAgent = (use: ToolUse, agent: string) => Promise<ToolEnd>;

function prepareSend(
  { connection, context_id, verify, extensions, timeout_seconds: timeoutSeconds }: ToolFields,
  egress: readonly string[],
): SendToAgent {
  const renderContextId = prepareContextId(context_id);
  return async ({ context, args, key, kept, contexts, findAnswer, clearAnswer }, agent) => {
    const target = {
      agent,
      egress,
      ...(connection !== undefined && { connection }),
      ...(verify === 'require' && { isCardVerified: true }),
      ...(extensions && { extensions }),
    };
    const message = { text: asText(args.message), context_id: await renderContextId(context.at) };
    const before = { kept: kept.value, answer: findAnswer(key), contexts, use: key, timeoutSeconds };
    const result = await sendMessage(context, target, message, before);
    if (result.status === 'asks') {
      clearAnswer(key);
      await kept.keep(result.kept);
      return { status: 'paused', asked: { key, question: { purpose: 'ask', prompt: result.prompt } } };
    }
    if (result.status === 'waits') {
      clearAnswer(key);
      await kept.keep(result.kept);
      return { status: 'paused', until: result.until };
    }
    const { text, data, context_id = null } = result.answer;
    const content: Json = data === undefined ? text : { text, data };
    return { status: 'completed', content, remote: { agent, connection: connection ?? null, context_id } };
  };
}
