// Where the arrow keys lead from each node of a picture: down and up along the edges, right and left between the targets
// of one node, and into and out of the blocks inside a node. Pure.
import { type Graph, type GraphNode, listGraphNodes } from '#lib/drawing/graph.ts';
import { readingOrder } from '#lib/drawing/reading-order.ts';

export type Direction = 'ArrowDown' | 'ArrowUp' | 'ArrowLeft' | 'ArrowRight';
export type Neighbours = Readonly<Partial<Record<Direction, string>>>;

/** In reading order, with the nodes inside a node after it. */
export function listInOrder({ start, nodes, edges }: Graph): GraphNode[] {
  const known = new Map(nodes.map((node) => [node.id, node]));
  return readingOrder({ start, nodes, edges }).ids.flatMap((id) => {
    const node = known.get(id);
    return node ? [node, ...node.inside.flatMap(({ graph }) => listInOrder(graph))] : [];
  });
}

export function findNeighbours(graph: Graph): ReadonlyMap<string, Neighbours> {
  const found = new Map<string, Neighbours>(listGraphNodes(graph).map(({ id }) => [id, {}]));
  addNeighbours(graph, undefined, [graph.start], found);
  return found;
}

/** `starts` are those of the blocks beside this one. */
function addNeighbours(
  graph: Graph,
  around: string | undefined,
  starts: readonly string[],
  found: Map<string, Neighbours>,
): void {
  const order = new Map(readingOrder(graph).ids.map((id, index) => [id, index]));
  const out = Map.groupBy(graph.edges, ({ from }) => from);
  const into = Map.groupBy(graph.edges, ({ to }) => to);
  const isForward = ({ from, to }: { from: string; to: string }) =>
    (order.get(to) ?? 0) > (order.get(from) ?? 0);
  for (const { id, inside } of graph.nodes) {
    const before = into.get(id)?.find(isForward)?.from;
    const siblings = before === undefined ? starts : distinctTargets(out.get(before)?.filter(isForward));
    const at = siblings.indexOf(id);
    const first = inside.map(({ graph: { start } }) => start);
    found.set(id, {
      ...defined('ArrowDown', out.get(id)?.find(isForward)?.to ?? out.get(id)?.at(0)?.to),
      ...defined('ArrowUp', before ?? around),
      ...defined('ArrowRight', first[0] ?? siblings[at + 1]),
      ...defined('ArrowLeft', at > 0 ? siblings[at - 1] : around),
    });
    for (const block of inside) addNeighbours(block.graph, id, first, found);
  }
}

const distinctTargets = (edges: readonly { readonly to: string }[] = []) => [
  ...new Set(edges.map(({ to }) => to)),
];

const defined = (direction: Direction, id: string | undefined): Neighbours =>
  id === undefined ? {} : { [direction]: id };
