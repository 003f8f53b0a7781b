// The table of node types. A type is available because it has a line here.
import * as z from 'zod';
import type { JsonObject } from '#lib/json/json.ts';
import { lazy } from '#lib/lazy.ts';
import { agent } from '../agent/agent.ts';
import type { RunNode } from '../engine/node-context.ts';
import { isObject } from '../format/json-value.ts';
import { a2a } from '../nodes/a2a.ts';
import { ask } from '../nodes/ask.ts';
import { end } from '../nodes/end.ts';
import { fail } from '../nodes/fail.ts';
import { flow } from '../nodes/flow.ts';
import { http } from '../nodes/http.ts';
import { llm } from '../nodes/llm.ts';
import { map } from '../nodes/map.ts';
import { mcp } from '../nodes/mcp.ts';
import type {
  Block,
  CheckSurroundings,
  Report,
  Surroundings,
  Target,
  TemplateField,
  Uses,
} from '../nodes/node-type.ts';
import { parallel } from '../nodes/parallel.ts';
import { reply } from '../nodes/reply.ts';
import { switchNode } from '../nodes/switch.ts';
import { transform } from '../nodes/transform.ts';
import { wait } from '../nodes/wait.ts';

export const nodeTypes = {
  llm,
  agent,
  http,
  mcp,
  a2a,
  flow,
  transform,
  switch: switchNode,
  parallel,
  map,
  ask,
  wait,
  reply,
  fail,
  end,
} as const;

type NodeTypeName = keyof typeof nodeTypes;

export type FlowNode = {
  [Name in NodeTypeName]: z.infer<ReturnType<(typeof nodeTypes)[Name]['schema']>>;
}[NodeTypeName];

const { llm: firstType, ...otherTypes } = nodeTypes;

export const nodeSchema = lazy(() =>
  z.discriminatedUnion('type', [
    firstType.schema(),
    ...Object.values(otherTypes).map(({ schema }) => schema()),
  ]),
);

/** A type as its name finds it. Each takes its own nodes only, which the compiler cannot follow through a name: `typeOf` pairs them. */
export interface AnyNodeType {
  readonly schema: () => z.ZodType<FlowNode>;
  readonly templates: readonly string[];
  /** Whether its nodes have `next`. */
  readonly hasNext: () => boolean;
  templatesInside?(raw: JsonObject): readonly TemplateField[];
  sets?(raw: JsonObject): readonly string[];
  check?(node: FlowNode, around: CheckSurroundings, report: Report): void;
  targets?(node: FlowNode): readonly Target[];
  blocks?(node: FlowNode): readonly Block[];
  pauses?(node: FlowNode): boolean;
  uses?(node: FlowNode): Uses;
  readonly isLong?: boolean;
  prepare(node: FlowNode, around: Surroundings): RunNode;
}

const byName: ReadonlyMap<string, AnyNodeType> = new Map(
  Object.entries(nodeTypes).map(([name, type]) => [
    name,
    { ...type, hasNext: () => 'next' in type.schema().shape },
  ]),
);

export const typeNamed = (name: unknown): AnyNodeType | undefined =>
  typeof name === 'string' ? byName.get(name) : undefined;

/** Told by its type alone: only for nodes of a flow that was checked. */
export const isNode = (value: unknown): value is FlowNode =>
  isObject(value) && typeNamed(value.type) !== undefined;
