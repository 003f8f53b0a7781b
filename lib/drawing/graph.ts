// The graph of a flow: its nodes, the edges between them, and the graphs inside nodes. It is built from what
// each node type declares, so that a new type needs no change here.
import { listNodes } from '#lib/flow/definition/compile.ts';
import type { Flow } from '#lib/flow/definition/flow.ts';
import { type FlowNode, findNodeType } from '#lib/flow/definition/node-types.ts';
import type { Block, Target } from '#lib/flow/nodes/node-type.ts';
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

export const buildGraph = ({ start, nodes }: Pick<Flow, 'start' | 'nodes'>): Graph => ({
  start,
  nodes: Object.entries(nodes).map(([id, node]) => graphNode(id, node)),
  edges: Object.entries(nodes).flatMap(([id, node]) => listEdges(id, node)),
});

function graphNode(id: string, node: FlowNode): GraphNode {
  const blocks = findNodeType(node.type)?.blocks?.(node) ?? [];
  const inside = blocks.map((block) => ({
    name: blockName(block),
    graph: buildGraph({ start: block.start, nodes: listNodes(block) }),
  }));
  return { id, type: node.type, title: node.title, parts: listAgentParts(node), inside };
}

const blockName = ({ path, names }: Block): string =>
  names.includes('item') ? 'each item' : String(path.at(-1) ?? '');

function listEdges(from: string, node: FlowNode): GraphEdge[] {
  const onward: GraphEdge[] =
    'next' in node && node.next !== undefined ? [{ from, to: node.next, kind: 'next', label: '' }] : [];
  const targets = findNodeType(node.type)?.targets?.(node) ?? [];
  const redirected: GraphEdge[] =
    'on_max_visits' in node && node.on_max_visits !== undefined
      ? [{ from, to: node.on_max_visits, kind: 'visits', label: describeVisits(node.max_visits) }]
      : [];
  const catchers = node.type === 'fail' ? [] : (node.catch ?? []);
  return [
    ...onward,
    ...targets.map((target) => targetEdge(from, node, target)),
    ...redirected,
    ...catchers.map(
      ({ on, next }): GraphEdge => ({ from, to: next, kind: 'catch', label: describeErrors(on) }),
    ),
  ];
}

const describeVisits = (count = 0) => `after ${count} ${count === 1 ? 'visit' : 'visits'}`;

const describeErrors = (on: readonly string[]) => (on.includes('*') ? 'any error' : on.join(', '));

function targetEdge(from: string, node: FlowNode, { path, id }: Target): GraphEdge {
  const [field, index] = path;
  if (field === 'on_timeout') return { from, to: id, kind: 'timeout', label: 'time is up' };
  const conditions = 'cases' in node ? node.cases : [];
  const condition = field === 'cases' && typeof index === 'number' ? conditions[index]?.when : undefined;
  return {
    from,
    to: id,
    kind: 'branch',
    label: condition?.replace(/^\{\{\s*|\s*\}\}$/g, '') ?? String(field),
  };
}
