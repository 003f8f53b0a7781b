// `agent`: a model that works with tools until it answers. Output: `{text, data, captured, turns}`.
import * as z from 'zod';
import type { Json, JsonObject } from '#lib/json/json.ts';
import { lazy, lazyModule } from '#lib/lazy.ts';
import { isList, isObject } from '../format/json-value.ts';
import { limits } from '../format/limits.ts';
import { everyNode, onward } from '../format/node-fields.ts';
import { ruled } from '../format/notes.ts';
import { listGuardFlows } from '../nodes/guardrails-field.ts';
import { requestTemplates, selectTemplate } from '../nodes/http-request.ts';
import { streamRule } from '../nodes/model-settings.ts';
import type { Members, ModelUse, NodeChecks, NodeType, TemplateField, Uses } from '../nodes/node-type.ts';
import { prepareLater } from '../nodes/prepare-later.ts';
import { checkAgent } from './check.ts';
import { type AgentFields, agentFields, type ChildFields, type ToolFields } from './definition.ts';
import { searchRequest } from './knowledge.ts';
import { declaredNames } from './parameters.ts';

/** Loaded only for flows that have one. */
export const agents = lazyModule(() => import('./run-agent.ts'));

export const agentSchema = /* @__PURE__ */ lazy(() =>
  ruled(
    z.strictObject({ type: z.literal('agent'), ...everyNode(), ...onward(), ...agentFields() }).meta({
      description: 'A model that uses tools until it answers; the output is `{text, data, captured, turns}`.',
    }),
    [streamRule()],
  ),
);

type AgentNode = z.infer<ReturnType<typeof agentSchema>>;

export const agentChecks: NodeChecks<AgentNode> = {
  templatesInside: (raw) => [
    ...toolTemplates(raw.tools, ['tools']),
    ...toList(raw.agents).flatMap((child, index) => childTemplates(child, ['agents', index])),
  ],
  sets: ({ capture, tools, agents }) => [
    ...(isObject(capture) ? Object.keys(capture) : []),
    ...listAssigned(tools, agents),
  ],
  check: checkAgent,
};

export const agent: NodeType<AgentNode> = {
  templates: ['instructions', 'input', 'files', 'conversation'],
  isLong: true,
  pauses: ({ tools = [], agents = [], guardrails }) =>
    listGuardFlows({ guardrails }).length > 0 ||
    [...tools, ...agents.flatMap((child) => child.tools ?? [])].some(mayPause),
  uses: agentUses,
  prepare: prepareLater(agents),
};

/** Other agents and flows may ask questions, too. */
const mayPause = ({ approval, flow, a2a, discover, ask_user }: ToolFields) =>
  approval === 'always' || [flow, a2a, discover, ask_user].some((field) => field !== undefined);

const toList = (value: Json | undefined): readonly Json[] => (isList(value) ? value : []);

function childTemplates(child: Json, path: TemplateField['path']): readonly TemplateField[] {
  if (!isObject(child)) return [];
  const instructions = { path: [...path, 'instructions'], value: child.instructions ?? null, names: [] };
  return [instructions, ...toolTemplates(child.tools, [...path, 'tools'])];
}

function toolTemplates(tools: Json | undefined, path: TemplateField['path']): readonly TemplateField[] {
  return toList(tools).flatMap((tool, index) => {
    if (!isObject(tool)) return [];
    const contextId: TemplateField = {
      path: [...path, index, 'context_id'],
      value: tool.context_id ?? null,
      names: [],
    };
    return [
      contextId,
      ...assignTemplates(tool, [...path, index, 'assign']),
      ...requestFieldsInside(tool.http, [...path, index, 'http'], findMembers(tool.parameters)),
      ...(isObject(tool.knowledge)
        ? requestFieldsInside(tool.knowledge.http, [...path, index, 'knowledge', 'http'], knowledgeMembers)
        : []),
    ];
  });
}

const knowledgeMembers: Members = { args: ['query', 'top_k'] };

function requestFieldsInside(
  request: Json | undefined,
  path: TemplateField['path'],
  members: Members | undefined,
): readonly TemplateField[] {
  const http: JsonObject = isObject(request) ? request : {};
  return [
    ...requestTemplates.map(
      (field): TemplateField => ({
        path: [...path, field],
        value: http[field] ?? null,
        names: ['args'],
        ...(members && { members }),
      }),
    ),
    {
      path: [...path, selectTemplate],
      value: http[selectTemplate] ?? null,
      names: ['args', 'body'],
      ...(members && { members }),
    },
  ];
}

const assignTemplates = ({ assign }: JsonObject, path: TemplateField['path']): readonly TemplateField[] =>
  assign === undefined ? [] : [{ path, value: assign, names: ['args', 'result'] }];

/** Variables that tools assign, also those of child agents. Takes the fields as they were written. */
export const listAssigned = (tools: unknown, agents: unknown): readonly string[] => [
  ...toObjects(tools).flatMap(({ assign }) => (isObject(assign) ? Object.keys(assign) : [])),
  ...toObjects(agents).flatMap((child) => listAssigned(child.tools, undefined)),
];

const toObjects = (value: unknown): readonly JsonObject[] =>
  Array.isArray(value) ? value.filter(isObject) : [];

/** Undefined if `parameters` is not a valid schema; the check of the node reports that. */
function findMembers(parameters: Json = {}): Members | undefined {
  const args = isObject(parameters) ? declaredNames(parameters) : undefined;
  return args && { args };
}

function agentUses(agent: AgentFields): Uses {
  const { agents = [] } = agent;
  const own = modelUse(agent);
  const tools = [agent, ...agents].flatMap((one) => one.tools ?? []);
  const requests = tools.flatMap(
    ({ http, knowledge }) => http ?? (knowledge ? searchRequest(knowledge) : []),
  );
  return {
    urls: requests.map(({ url }) => url),
    servers: tools.flatMap(({ mcp }) => mcp ?? []),
    agents: tools.flatMap(({ a2a }) => a2a ?? []),
    discovers: tools.flatMap(({ discover }) => discover ?? []),
    flows: [...tools.flatMap(({ flow }) => flow ?? []), ...listGuardFlows(agent)],
    connections: [...requests, ...tools].flatMap(({ connection }) => connection ?? []),
    models: [own, ...agents.map((child) => delegated(modelUse(child), own))],
  };
}

const modelUse = ({
  model,
  max_turns = limits.agentTurnsDefault,
  on_max_turns,
}: AgentFields | ChildFields): ModelUse => ({
  name: model,
  calls: on_max_turns === 'answer' ? max_turns + 1 : max_turns,
});

/** Each turn may delegate as often as it may use tools. */
const delegated = ({ name, calls }: ModelUse, own: ModelUse): ModelUse => ({
  name,
  calls: calls * own.calls * limits.toolUsesPerTurnMax,
});
