// `agent`: a model that works with tools until it answers. Output: `{text, data, captured, turns}`.
import * as z from 'zod';
import type { Json, JsonObject } from '#lib/json.ts';
import { checkAgent } from '../agent/check.ts';
import { agentFields, type ToolFields } from '../agent/definition.ts';
import { runLoop } from '../agent/loop.ts';
import { type AgentMemory, agentMemory, newConversation } from '../agent/memory.ts';
import { prepareAgent } from '../agent/prepare.ts';
import type { Standing, Visit } from '../agent/tool.ts';
import { agentUses } from '../agent/uses.ts';
import { template } from '../expression/template.ts';
import { asText } from '../expression/text.ts';
import { isList, isObject } from '../json-value.ts';
import { preview } from '../log-preview.ts';
import { requestTemplates } from './http-request.ts';
import type { NodeContext, Paused, Step } from './node-context.ts';
import { defineNode, everyNode, onward, type TemplatePlace } from './node-type.ts';

export const agent = defineNode({
  schema: z.strictObject({ type: z.literal('agent'), ...everyNode, ...onward, ...agentFields }),
  templates: ['instructions', 'input'],
  templatesInside: (raw) => [
    ...toolTemplates(raw.tools, ['tools']),
    ...listOf(raw.agents).flatMap((child, index) => childTemplates(child, ['agents', index])),
  ],
  sets: ({ capture }) => (isObject(capture) ? Object.keys(capture) : []),
  check: checkAgent,
  isLong: true,
  pauses: ({ tools = [], agents = [] }) =>
    [...tools, ...agents.flatMap((child) => child.tools ?? [])].some(mayAsk),
  uses: agentUses,
  prepare: (node, around) => {
    const loop = prepareAgent(node, around);
    const input = template(node.input ?? '{{ input.message }}');
    return async (context) => {
      const memory = await memoryOf(context, async () => asText(await input(context.at)));
      const end = await runLoop(loop, memory.conversation, visitOf(context, memory));
      if (end.status === 'standing') return pausedOf(end, memory);
      return stepOf(end.output, memory, node.output_schema !== undefined);
    };
  },
});

/** Another agent or flow may ask for something. */
const mayAsk = ({ approval, flow, a2a, discover }: ToolFields) =>
  approval === 'always' || flow !== undefined || a2a !== undefined || discover !== undefined;

async function memoryOf({ memory }: NodeContext, input: () => Promise<string>): Promise<AgentMemory> {
  if (memory !== undefined) return agentMemory.parse(memory);
  return { conversation: newConversation(await input()), captured: {}, asking: null };
}

function visitOf(context: NodeContext, memory: AgentMemory): Visit {
  let { answer } = context;
  return {
    context,
    place: '',
    takeAnswer: (key) => {
      if (memory.asking !== key) return undefined;
      const taken = answer?.value;
      answer = undefined;
      return taken;
    },
    keep: () => context.remember(memory),
    capture: (values) => {
      memory.captured = { ...memory.captured, ...values };
    },
  };
}

function pausedOf({ asked }: Standing, memory: AgentMemory): Paused {
  if (!asked) return { pause: { kind: 'inside' }, memory };
  return { pause: { kind: 'input', ...asked.question }, memory: { ...memory, asking: asked.key } };
}

function stepOf(output: Json, { captured, conversation }: AgentMemory, isStructured: boolean): Step {
  const answer = isStructured ? { text: '', data: output } : { text: asText(output), data: null };
  return {
    output: { ...answer, captured, turns: conversation.turns },
    state: captured,
    note: `answered after ${conversation.turns} ${conversation.turns === 1 ? 'turn' : 'turns'}: ${preview(output, 200)}`,
  };
}

const listOf = (value: Json | undefined): readonly Json[] => (isList(value) ? value : []);

function childTemplates(child: Json, path: TemplatePlace['path']): readonly TemplatePlace[] {
  if (!isObject(child)) return [];
  const instructions = { path: [...path, 'instructions'], value: child.instructions ?? null, names: [] };
  return [instructions, ...toolTemplates(child.tools, [...path, 'tools'])];
}

function toolTemplates(tools: Json | undefined, path: TemplatePlace['path']): readonly TemplatePlace[] {
  return listOf(tools).flatMap((tool, index) => {
    const http: JsonObject = isObject(tool) && isObject(tool.http) ? tool.http : {};
    return requestTemplates.map(
      (field): TemplatePlace => ({
        path: [...path, index, 'http', field],
        value: http[field] ?? null,
        names: ['args'],
      }),
    );
  });
}
