// The graph of a flow: its nodes, the edges between them, and the graphs inside nodes. It is read from the document of a
// checked flow without the engine, which browsers need not load; a test compares it with what each node type declares.
import type { FlowNode } from '#lib/flow/definition/node-types.ts';
import { isObject } from '#lib/flow/format/json-value.ts';
import type { Json, JsonObject } from '#lib/json/json.ts';
import { listAgentParts } from './agent-parts.ts';

export interface Graph {
  readonly start: string;
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
}

export interface GraphNode {
  readonly id: string;
  readonly type: string;
  readonly title: string | undefined;
  /** What the node consists of, a line each. */
  readonly parts: readonly string[];
  readonly inside: readonly { readonly name: string; readonly graph: Graph }[];
}

export interface GraphEdge {
  readonly from: string;
  readonly to: string;
  readonly kind: 'next' | 'branch' | 'catch' | 'timeout' | 'visits';
  readonly label: string;
}

/** `flow` is a checked flow, its document, or a block inside a node. */
export function buildGraph(flow: { readonly start: string; readonly nodes: object }): Graph {
  const nodes = Object.entries(flow.nodes).filter((entry): entry is [string, JsonObject] =>
    isObject(entry[1]),
  );
  return {
    start: flow.start,
    nodes: nodes.map(([id, node]) => graphNode(id, node)),
    edges: nodes.flatMap(([id, node]) => listEdges(id, node)),
  };
}

/** Undefined for what is no flow. */
export function readGraph({ start, nodes }: JsonObject): Graph | undefined {
  return typeof start === 'string' && isObject(nodes) ? buildGraph({ start, nodes }) : undefined;
}

/** All nodes, with those inside others. */
export const listGraphNodes = ({ nodes }: Graph): GraphNode[] => [
  ...nodes,
  ...nodes.flatMap(({ inside }) => inside.flatMap(({ graph }) => listGraphNodes(graph))),
];

/** The cast holds, because the flow was checked. */
const graphNode = (id: string, node: JsonObject): GraphNode => ({
  id,
  type: String(node.type),
  title: typeof node.title === 'string' ? node.title : undefined,
  parts: listAgentParts(node as unknown as FlowNode),
  inside: listBlocks(node),
});

/** The body of a `map`, and the branches of a `parallel`. */
function listBlocks({ body, branches }: JsonObject): GraphNode['inside'] {
  const blocks = [['each item', body] as const, ...(isObject(branches) ? Object.entries(branches) : [])];
  return blocks.flatMap(([name, block]) => {
    const graph = isObject(block) ? readGraph(block) : undefined;
    return graph ? [{ name, graph }] : [];
  });
}

function listEdges(from: string, node: JsonObject): GraphEdge[] {
  const to = (target: Json | undefined, kind: GraphEdge['kind'], label: string): GraphEdge[] =>
    typeof target === 'string' ? [{ from, to: target, kind, label }] : [];
  return [
    ...to(node.next, 'next', ''),
    ...listItems(node.cases).flatMap(({ next, when }) => to(next, 'branch', describeCondition(when))),
    ...(node.cases === undefined ? [] : to(node.default, 'branch', 'default')),
    ...to(node.on_timeout, 'timeout', 'time is up'),
    ...to(node.on_max_visits, 'visits', describeVisits(node.max_visits)),
    ...listItems(node.catch).flatMap(({ on, next }) => to(next, 'catch', describeErrors(on))),
  ];
}

const listItems = (value: Json | undefined): readonly JsonObject[] =>
  Array.isArray(value) ? value.filter(isObject) : [];

const describeCondition = (when: Json | undefined) => String(when).replace(/^\{\{\s*|\s*\}\}$/g, '');

const describeVisits = (count: Json = 0) => `after ${count} ${count === 1 ? 'visit' : 'visits'}`;

const describeErrors = (on: Json | undefined) =>
  Array.isArray(on) && !on.includes('*') ? on.join(', ') : 'any error';
