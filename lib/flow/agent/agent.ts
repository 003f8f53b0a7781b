// `agent`: a model that works with tools until it answers. Output: `{text, data, captured, turns}`.
import * as z from 'zod';
import type { Json, JsonObject } from '#lib/json/json.ts';
import { lazyModule } from '#lib/lazy.ts';
import type { RunNode } from '../engine/node-context.ts';
import { isList, isObject } from '../format/json-value.ts';
import { everyNode, onward } from '../format/node-fields.ts';
import { ruled } from '../format/notes.ts';
import { requestTemplates } from '../nodes/http-request.ts';
import { defineNode, type Members, type TemplatePlace } from '../nodes/node-type.ts';
import { streamRule } from '../nodes/streamed.ts';
import { checkAgent } from './check.ts';
import { agentFields, type ToolFields } from './definition.ts';
import { declaredNames } from './parameters.ts';
import { agentUses } from './uses.ts';

/** Loaded only for flows that have one. */
export const agents = lazyModule(() => import('./run-agent.ts'));

export const agent = defineNode({
  schema: () =>
    ruled(z.strictObject({ type: z.literal('agent'), ...everyNode(), ...onward(), ...agentFields() }), [
      streamRule(),
    ]),
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
    let run: RunNode | undefined;
    return async (context) => {
      const { preparedRun } = agents.loaded() ?? (await agents.load());
      run ??= preparedRun(node, around);
      return await run(context);
    };
  },
});

/** Another agent or flow may ask for something. */
const mayAsk = ({ approval, flow, a2a, discover }: ToolFields) =>
  approval === 'always' || flow !== undefined || a2a !== undefined || discover !== undefined;

const listOf = (value: Json | undefined): readonly Json[] => (isList(value) ? value : []);

function childTemplates(child: Json, path: TemplatePlace['path']): readonly TemplatePlace[] {
  if (!isObject(child)) return [];
  const instructions = { path: [...path, 'instructions'], value: child.instructions ?? null, names: [] };
  return [instructions, ...toolTemplates(child.tools, [...path, 'tools'])];
}

function toolTemplates(tools: Json | undefined, path: TemplatePlace['path']): readonly TemplatePlace[] {
  return listOf(tools).flatMap((tool, index) => {
    if (!isObject(tool)) return [];
    const http: JsonObject = isObject(tool.http) ? tool.http : {};
    const members = membersOf(tool.parameters);
    return requestTemplates.map(
      (field): TemplatePlace => ({
        path: [...path, index, 'http', field],
        value: http[field] ?? null,
        names: ['args'],
        ...(members && { members }),
      }),
    );
  });
}

/** A schema that is none says nothing here. */
function membersOf(parameters: Json = {}): Members | undefined {
  const args = isObject(parameters) ? declaredNames(parameters) : undefined;
  return args && { args };
}
