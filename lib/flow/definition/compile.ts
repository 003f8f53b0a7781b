// Makes a checked flow ready to run: every node's templates compiled once, for as many runs as the process will see.
import type { Json, JsonObject } from '#lib/json/json.ts';
import type { Assign, CompiledFlow, CompiledNode } from '../engine/node-context.ts';
import { template } from '../expression/template.ts';
import type { Catcher, Retry } from '../format/node-fields.ts';
import type { Block, Surroundings } from '../nodes/node-type.ts';
import type { Flow } from './flow.ts';
import { modulesOf } from './lazy-modules.ts';
import { type AnyNodeType, type FlowNode, isNode, typeNamed } from './node-types.ts';

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
    modules: modulesOf(flow),
  };
}

function addNodes(
  all: Map<string, CompiledNode>,
  nodes: Readonly<Record<string, FlowNode>>,
  around: Surroundings,
): void {
  for (const [id, node] of Object.entries(nodes)) {
    all.set(id, compiledNode(id, node, around));
    for (const block of typeOf(node).blocks?.(node) ?? []) addNodes(all, nodesOf(block), around);
  }
}

/** They were checked with the flow; the shape of the node around them says only that they are JSON. */
export const nodesOf = ({ nodes }: Block): Record<string, FlowNode> =>
  Object.fromEntries(Object.entries(nodes).map(([id, raw]) => [id, checkedNode(raw)]));

function checkedNode(raw: Json): FlowNode {
  if (isNode(raw)) return raw;
  throw new Error('The flow was not checked: it has a node of no known type.');
}

/** Of most types. `fail` has labels only; of those that pause, the time is that of the pause, which no attempt passes. */
interface CommonFields {
  readonly title?: string | undefined;
  readonly assign?: JsonObject | undefined;
  readonly retry?: Retry | undefined;
  readonly catch?: readonly Catcher[] | undefined;
  readonly timeout_seconds?: number | undefined;
  readonly max_visits?: number | undefined;
}

function compiledNode(id: string, node: FlowNode, around: Surroundings): CompiledNode {
  const { assign, retry, catch: catchers = [], timeout_seconds, max_visits }: CommonFields = node;
  return {
    id,
    type: node.type,
    run: typeOf(node).prepare(node, around),
    isLong: typeOf(node).isLong === true,
    isStreamed: 'stream' in node && node.stream === true,
    next: 'next' in node ? node.next : undefined,
    assign: compiledAssign(assign),
    retry,
    catch: catchers.map(({ on, next, assign }) => ({ on, next, assign: compiledAssign(assign) })),
    timeoutSeconds: timeout_seconds,
    maxVisits: max_visits,
  };
}

export function typeOf(node: FlowNode): AnyNodeType {
  const type = typeNamed(node.type);
  if (type) return type;
  throw new Error(`The flow was not checked: it has a node of type ${node.type}.`);
}

const compiledAssign = (assign: JsonObject | undefined): Assign | undefined =>
  assign && Object.entries(assign).map(([name, value]) => [name, template(value)] as const);
