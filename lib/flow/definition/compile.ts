// Makes a checked flow ready to run: every node's templates compiled once, for as many runs as the process will see.
import type { Json, JsonObject } from '#lib/json/json.ts';
import type { Assign, CompiledFlow, CompiledNode } from '../engine/node-context.ts';
import { template } from '../expression/template.ts';
import type { Catcher, Retry } from '../format/node-fields.ts';
import type { Block, Surroundings } from '../nodes/node-type.ts';
import type { Flow } from './flow.ts';
import { selectModules } from './lazy-modules.ts';
import { type AnyNodeType, type FlowNode, findNodeType, isNode } from './node-types.ts';

/** Expects a flow that has passed `checkFlow`; expressions themselves are compiled when they are first evaluated. */
export function compileFlow(flow: Flow): CompiledFlow {
  const around: Surroundings = { models: flow.models ?? {}, egress: flow.egress ?? [] };
  const nodes = new Map<string, CompiledNode>();
  addNodes(nodes, flow.nodes, around);
  return {
    name: flow.name,
    start: flow.start,
    state: flow.state ?? {},
    input: flow.input,
    output: flow.output,
    limits: flow.limits ?? {},
    connections: flow.connections ?? {},
    nodes,
    modules: selectModules(flow),
    onlyComputes: [...nodes.values()].every(({ type }) => findNodeType(type)?.onlyComputes === true),
  };
}

function addNodes(
  all: Map<string, CompiledNode>,
  nodes: Readonly<Record<string, FlowNode>>,
  around: Surroundings,
): void {
  for (const [id, node] of Object.entries(nodes)) {
    all.set(id, compileNode(id, node, around));
    for (const block of requireType(node).blocks?.(node) ?? []) addNodes(all, listNodes(block), around);
  }
}

/** They were checked with the flow; the shape of the node around them says only that they are JSON. */
export const listNodes = ({ nodes }: Block): Record<string, FlowNode> =>
  Object.fromEntries(Object.entries(nodes).map(([id, raw]) => [id, requireNode(raw)]));

function requireNode(raw: Json): FlowNode {
  if (isNode(raw)) return raw;
  throw new Error('The flow was not checked: it has a node of no known type.');
}

/** The fields of most types. `fail` has labels only. The time of a type that pauses is that of its pause, which no attempt exceeds. */
interface CommonFields {
  readonly title?: string | undefined;
  readonly assign?: JsonObject | undefined;
  readonly retry?: Retry | undefined;
  readonly catch?: readonly Catcher[] | undefined;
  readonly timeout_seconds?: number | undefined;
  readonly max_visits?: number | undefined;
  readonly on_max_visits?: string | undefined;
}

function compileNode(id: string, node: FlowNode, around: Surroundings): CompiledNode {
  const { assign, retry, catch: catchers = [], ...limits }: CommonFields = node;
  return {
    id,
    type: node.type,
    run: requireType(node).prepare(node, around),
    fields: () => template(pickFields(node, requireType(node).templates)),
    isLong: requireType(node).isLong === true,
    holdsText: 'guardrails' in node && node.guardrails?.output !== undefined,
    isStreamed: 'stream' in node && node.stream === true,
    next: 'next' in node ? node.next : undefined,
    assign: compileAssign(assign),
    retry,
    catch: catchers.map(({ on, next, assign }) => ({ on, next, assign: compileAssign(assign) })),
    timeoutSeconds: limits.timeout_seconds,
    maxVisits: limits.max_visits,
    onMaxVisits: limits.on_max_visits,
  };
}

/** Those of the names that the node has. They are JSON, as the flow is. */
const pickFields = (node: FlowNode, names: readonly string[]): JsonObject =>
  Object.fromEntries(
    Object.entries(node).filter(([name, value]) => names.includes(name) && value !== undefined),
  );

export function requireType(node: FlowNode): AnyNodeType {
  const type = findNodeType(node.type);
  if (type) return type;
  throw new Error(`The flow was not checked: it has a node of type ${node.type}.`);
}

const compileAssign = (assign: JsonObject | undefined): Assign | undefined =>
  assign && Object.entries(assign).map(([name, value]) => [name, template(value)] as const);
