// The node types: a type is available because it is in both tables.
import * as z from 'zod';
import type { JsonObject } from '#lib/json/json.ts';
import { lazy } from '#lib/lazy.ts';
import { agent, agentChecks, agentSchema } from '../agent/agent.ts';
import type { RunNode } from '../engine/node-context.ts';
import { isObject } from '../format/json-value.ts';
import { a2a, a2aChecks, a2aSchema } from '../nodes/a2a.ts';
import { ask, askChecks, askSchema } from '../nodes/ask.ts';
import { code, codeChecks, codeSchema } from '../nodes/code.ts';
import { end, endSchema } from '../nodes/end.ts';
import { fail, failSchema } from '../nodes/fail.ts';
import { flow, flowSchema } from '../nodes/flow.ts';
import { http, httpChecks, httpSchema } from '../nodes/http.ts';
import { llm, llmChecks, llmSchema } from '../nodes/llm.ts';
import { map, mapSchema } from '../nodes/map.ts';
import { mcp, mcpChecks, mcpSchema } from '../nodes/mcp.ts';
import type {
  Block,
  CheckSurroundings,
  Report,
  Surroundings,
  Target,
  TemplateField,
  Uses,
} from '../nodes/node-type.ts';
import { parallel, parallelSchema } from '../nodes/parallel.ts';
import { reply, replySchema } from '../nodes/reply.ts';
import { store, storeSchema } from '../nodes/store.ts';
import { switchNode, switchSchema } from '../nodes/switch.ts';
import { transform, transformSchema } from '../nodes/transform.ts';
import { wait, waitChecks, waitSchema } from '../nodes/wait.ts';

export const nodeTypes = {
  llm,
  agent,
  http,
  mcp,
  a2a,
  flow,
  transform,
  code,
  store,
  switch: switchNode,
  parallel,
  map,
  ask,
  wait,
  reply,
  fail,
  end,
} as const;

/** Apart from the types, so that only the functions that check flows carry the schemas. */
export const nodeSchemas = {
  llm: llmSchema,
  agent: agentSchema,
  http: httpSchema,
  mcp: mcpSchema,
  a2a: a2aSchema,
  flow: flowSchema,
  transform: transformSchema,
  code: codeSchema,
  store: storeSchema,
  switch: switchSchema,
  parallel: parallelSchema,
  map: mapSchema,
  ask: askSchema,
  wait: waitSchema,
  reply: replySchema,
  fail: failSchema,
  end: endSchema,
} satisfies Record<keyof typeof nodeTypes, unknown>;

/** Apart from the types for the same reason. */
const nodeChecks = {
  llm: llmChecks,
  agent: agentChecks,
  http: httpChecks,
  mcp: mcpChecks,
  a2a: a2aChecks,
  code: codeChecks,
  ask: askChecks,
  wait: waitChecks,
} satisfies Partial<Record<keyof typeof nodeTypes, unknown>>;

type NodeSchemas = typeof nodeSchemas;

export type FlowNode = {
  [Name in keyof NodeSchemas]: z.infer<ReturnType<NodeSchemas[Name]>>;
}[keyof NodeSchemas];

export const nodeSchema = /* @__PURE__ */ lazy(() => {
  const { llm, ...others } = nodeSchemas;
  return z.discriminatedUnion('type', [llm(), ...Object.values(others).map((schema) => schema())]);
});

export const findNodeSchema = (type: unknown): z.ZodType<FlowNode> | undefined =>
  isTypeName(type) ? nodeSchemas[type]() : undefined;

/** Whether nodes of the type have the field `next`. */
export const hasNext = (type: string): boolean => isTypeName(type) && 'next' in nodeSchemas[type]().shape;

const isTypeName = (type: unknown): type is keyof NodeSchemas =>
  typeof type === 'string' && Object.hasOwn(nodeTypes, type);

/** A type found by its name. Each takes its own nodes only, which the compiler cannot follow through a name: `requireType` pairs them. */
export interface AnyNodeType {
  readonly templates: readonly string[];
  targets?(node: FlowNode): readonly Target[];
  blocks?(node: FlowNode): readonly Block[];
  pauses?(node: FlowNode): boolean;
  uses?(node: FlowNode): Uses;
  readonly isLong?: boolean;
  readonly onlyComputes?: boolean;
  prepare(node: FlowNode, around: Surroundings): RunNode;
}

/** As `AnyNodeType`: only for nodes of its type. */
interface AnyNodeChecks {
  templatesInside?(raw: JsonObject): readonly TemplateField[];
  sets?(raw: JsonObject): readonly string[];
  check?(node: FlowNode, around: CheckSurroundings, report: Report): void;
}

const checksByName = /* @__PURE__ */ lazy(
  (): ReadonlyMap<unknown, AnyNodeChecks> => new Map(Object.entries(nodeChecks)),
);

export const findNodeChecks = (name: unknown): AnyNodeChecks | undefined => checksByName().get(name);

const byName: ReadonlyMap<string, AnyNodeType> = new Map(Object.entries(nodeTypes));

export const findNodeType = (name: unknown): AnyNodeType | undefined =>
  typeof name === 'string' ? byName.get(name) : undefined;

/** Told by its type alone: only for nodes of a flow that was checked. */
export const isNode = (value: unknown): value is FlowNode =>
  isObject(value) && findNodeType(value.type) !== undefined;
