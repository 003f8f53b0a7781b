// Other agents as tools: one that the flow names, or one that the model chooses among those that fit the flow's filters.
import type { Json, JsonObject } from '#lib/json.ts';
import { asText } from '../../expression/text.ts';
import { clipped } from '../../log-preview.ts';
import type { Surroundings } from '../../nodes/node-type.ts';
import { agentOf, filterOf, talk } from '../../nodes/remote-agent.ts';
import type { FoundAgent } from '../../ports.ts';
import type { ToolFields } from '../definition.ts';
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

export function discoverTool(
  fields: ToolFields,
  filter: NonNullable<ToolFields['discover']>,
  { egress }: Surroundings,
): ToolSource {
  const target = `agents found by ${JSON.stringify(filter)}`;
  return async (context) => {
    const found = await context.discover(filterOf(filter));
    if (found.length === 0) return [];
    const description = `${fields.description ?? ''}\n${found.map(line).join('\n')}`;
    const tool = toolOf(fields, { description, parameters: choiceAmong(found), target }, (use) =>
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

const line = ({ agent, name, description }: FoundAgent) =>
  `- ${agent}: ${clipped(name, 100)}: ${clipped(description.replaceAll(/\s+/g, ' '), 200)}`;

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
  { context, args, key, kept, takeAnswer }: ToolUse,
  agent: string,
  { connection }: ToolFields,
  egress: readonly string[],
): Promise<ToolEnd> {
  const target = { agent, egress, ...(connection !== undefined && { connection }) };
  const before = { kept: kept.value, answer: takeAnswer(key) };
  const talked = await talk(context, target, { text: asText(args.message) }, before);
  if (talked.status === 'asks') {
    await kept.keep(talked.kept);
    return { status: 'standing', asked: { key, question: { purpose: 'ask', prompt: talked.prompt } } };
  }
  const { text, data } = talked.answer;
  const content: Json = data === undefined ? text : { text, data };
  return { status: 'completed', content };
}
