// Two flows as one graph: all of the second, and what only the first had. Pure.
import { type Graph, type GraphEdge, type GraphNode, listGraphNodes } from '#lib/drawing/graph.ts';
import { identify } from '#lib/flow/format/json-value.ts';
import type { JsonObject } from '#lib/json/json.ts';
import { findNode } from '../picture/find-node.ts';
import { type EdgeMark, type Marks, markedEdge, type NodeMark } from '../picture/marks.ts';

export function mergeGraphs(from: Graph, to: Graph): Graph {
  const before = new Map(from.nodes.map((node) => [node.id, node]));
  const now = new Set(to.nodes.map(({ id }) => id));
  const known = new Set(to.edges.map(edgeText));
  return {
    start: to.start,
    nodes: [
      ...to.nodes.map((node) => mergeBlocks(before.get(node.id), node)),
      ...from.nodes.filter(({ id }) => !now.has(id)),
    ],
    edges: [...to.edges, ...from.edges.filter((edge) => !known.has(edgeText(edge)))],
  };
}

const edgeText = ({ from, to, kind, label }: GraphEdge) => JSON.stringify([from, to, kind, label]);

/** A block that was removed stays in the picture, too. */
function mergeBlocks(before: GraphNode | undefined, node: GraphNode): GraphNode {
  const blocks = new Map(before?.inside.map(({ name, graph }) => [name, graph]));
  const names = new Set(node.inside.map(({ name }) => name));
  return {
    ...node,
    inside: [
      ...node.inside.map(({ name, graph }) => {
        const former = blocks.get(name);
        return { name, graph: former ? mergeGraphs(former, graph) : graph };
      }),
      ...(before?.inside ?? []).filter(({ name }) => !names.has(name)),
    ],
  };
}

const changes = {
  added: { label: 'Added', text: 'Added', tone: 'good', icon: 'added' },
  removed: { label: 'Removed', text: 'Removed', tone: 'bad', icon: 'removed' },
  changed: { label: 'Changed', text: 'Changed', tone: 'wait', icon: 'changed' },
} as const satisfies Record<string, NodeMark>;

/** `from` and `to` are the documents of the flows. */
export function markChanges(
  merged: Graph,
  from: JsonObject,
  to: JsonObject,
  graphs: readonly [Graph, Graph],
): Marks {
  const nodes = listGraphNodes(merged).flatMap(({ id }) => {
    const change = findChange(findNode(from, id), findNode(to, id));
    return change === undefined ? [] : [[id, changes[change]] as const];
  });
  const [was, now] = graphs.map((graph) => new Set(listEdges(graph).map(markedEdge)));
  const edges = listEdges(merged).flatMap((edge): [string, EdgeMark][] => {
    const key = markedEdge(edge);
    if (!was?.has(key)) return [[key, 'added']];
    return now?.has(key) ? [] : [[key, 'removed']];
  });
  return { nodes: new Map(nodes), edges: new Map(edges), unmarked: 'Unchanged' };
}

const listEdges = (graph: Graph): readonly GraphEdge[] => [
  ...graph.edges,
  ...graph.nodes.flatMap(({ inside }) => inside.flatMap((block) => listEdges(block.graph))),
];

function findChange(
  was: JsonObject | undefined,
  now: JsonObject | undefined,
): keyof typeof changes | undefined {
  if (!was || !now) return now ? 'added' : was && 'removed';
  return identify(ownMembers(was)) === identify(ownMembers(now)) ? undefined : 'changed';
}

/** Without the nodes inside, which have marks of their own. */
const ownMembers = ({ body: _body, branches: _branches, ...own }: JsonObject) => own;
