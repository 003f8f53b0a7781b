// Other agents as tools: one that the flow names, or one that the model chooses among those that fit the flow's filters.
import type { Json, JsonObject } from '#lib/json/json.ts';
import { shortened } from '../../engine/log-preview.ts';
import type { NodeContext } from '../../engine/node-context.ts';
import { asText } from '../../expression/text.ts';
import { limits } from '../../format/limits.ts';
import type { Surroundings } from '../../nodes/node-type.ts';
import { agentOf, filterOf, type SavedFilter, talk } from '../../nodes/remote-agent.ts';
import type { FoundAgent } from '../../ports/agent.ts';
import type { ToolFields } from '../definition.ts';
import type { Found } from '../memory.ts';
import { messageParameters, type Tool, type ToolEnd, type ToolSource, type ToolUse } from '../tool.ts';

export function agentTool(fields: ToolFields, agent: string, { egress }: Surroundings): ToolSource {
  const { description = '' } = fields;
  const tool = toolOf(
    fields,
    { description, parameters: messageParameters, target: `agent ${agent}` },
    (use) => ask(use, agent, fields, egress),
  );
  return () => [tool];
}

export function discoverTool(fields: ToolFields, filter: SavedFilter, { egress }: Surroundings): ToolSource {
  const target = `agents found by ${JSON.stringify(filter)}`;
  const { name = '' } = fields;
  return async (context, found) => {
    const agents = await choicesFor(name, filter, context, found);
    if (agents.length === 0) return [];
    const description = `${fields.description ?? ''}\n${agents.map(line).join('\n')}`;
    const tool = toolOf(fields, { description, parameters: choiceAmong(agents), target }, (use) =>
      ask(use, agentOf(use.kept.value) ?? asText(use.args.agent), fields, egress),
    );
    return [tool];
  };
}

const toolOf = (
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

/** Found when the conversation began. */
async function choicesFor(
  tool: string,
  filter: SavedFilter,
  context: NodeContext,
  found: Found[],
): Promise<readonly FoundAgent[]> {
  const known = found.find((one) => one.tool === tool);
  if (known) return known.agents;
  const agents = (await context.discover(filterOf(filter))).slice(0, limits.foundAgentsMax).map(short);
  found.push({ tool, agents });
  return agents;
}

/** As much as the model is told of it, and the conversation keeps. */
const short = ({ agent, name, description }: FoundAgent): FoundAgent => ({
  agent,
  name: shortened(name, 100),
  description: shortened(description.replaceAll(/\s+/g, ' '), 200),
});

const line = ({ agent, name, description }: FoundAgent) => `- ${agent}: ${name}: ${description}`;

const choiceAmong = (found: readonly FoundAgent[]): JsonObject => ({
  type: 'object',
  properties: {
    agent: { enum: found.map(({ agent }) => agent) },
    message: { type: 'string' },
  },
  required: ['agent', 'message'],
  additionalProperties: false,
});

async function ask(
  { context, args, key, kept, answerTo, answered }: ToolUse,
  agent: string,
  { connection }: ToolFields,
  egress: readonly string[],
): Promise<ToolEnd> {
  const target = { agent, egress, ...(connection !== undefined && { connection }) };
  const before = { kept: kept.value, answer: answerTo(key) };
  const talked = await talk(context, target, { text: asText(args.message) }, before);
  if (talked.status === 'asks') {
    answered(key);
    await kept.keep(talked.kept);
    return { status: 'paused', asked: { key, question: { purpose: 'ask', prompt: talked.prompt } } };
  }
  const { text, data } = talked.answer;
  const content: Json = data === undefined ? text : { text, data };
  return { status: 'completed', content };
}
