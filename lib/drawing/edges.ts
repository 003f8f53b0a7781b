// Decides how the edges of a graph are drawn. Edges of one kind between the same two nodes are merged into
// one. An edge that would cross half the picture is not a line but a text in the box of the node that it
// leaves, so that a large flow is readable and is drawn within seconds.
import type { Graph, GraphEdge } from './graph.ts';
import { readingOrder } from './reading-order.ts';

export interface DrawnEdge {
  readonly from: string;
  readonly to: string;
  readonly kind: GraphEdge['kind'];
  /** The labels of the merged edges, in the order in which the flow has them. */
  readonly labels: readonly string[];
}

export interface DividedEdges {
  readonly lines: readonly DrawnEdge[];
  /** The edges that are shown as text, by the id of the node that they leave. */
  readonly texts: ReadonlyMap<string, readonly DrawnEdge[]>;
}

/** Maximum sum of the rows that the lines span, except one line into each node from the row above it. */
export const spanMax = 80;

export function divideEdges(graph: Graph): DividedEdges {
  const edges = mergeEdges(graph.edges);
  const lines = selectLines(edges, graph);
  const texts = Map.groupBy(
    edges.filter((edge) => !lines.has(edge)),
    ({ from }) => from,
  );
  return { lines: edges.filter((edge) => lines.has(edge)), texts };
}

const mergeEdges = (edges: readonly GraphEdge[]): DrawnEdge[] =>
  [...Map.groupBy(edges, ({ from, to, kind }) => `${from} ${kind} ${to}`).values()].flatMap((group) =>
    group
      .slice(0, 1)
      .map(({ from, to, kind }) => ({ from, to, kind, labels: group.map(({ label }) => label) })),
  );

/**
 * The edges into a node are all drawn as lines or all shown as text, except the first from the row above it.
 * The nodes whose lines are longest in sum lose their lines first.
 */
function selectLines(edges: readonly DrawnEdge[], graph: Graph): ReadonlySet<DrawnEdge> {
  const { depths } = readingOrder(graph);
  const rows = ({ from, to }: DrawnEdge) => (depths.get(to) ?? 0) - (depths.get(from) ?? 0);
  const lines = new Set<DrawnEdge>();
  const groups = [...Map.groupBy(edges, ({ to }) => to).values()].map((into) => {
    const first = into.find((edge) => rows(edge) === 1);
    if (first) lines.add(first);
    const more = into.filter((edge) => edge !== first && !isSecondLoop(edge, into));
    return { more, span: more.reduce((sum, edge) => sum + Math.max(1, Math.abs(rows(edge))), 0) };
  });
  let left = spanMax;
  for (const { more, span } of groups.sort((a, b) => a.span - b.span)) {
    left -= span;
    if (left >= 0) for (const edge of more) lines.add(edge);
  }
  return lines;
}

/** A box has room for one line that leads back to it. */
const isSecondLoop = (edge: DrawnEdge, into: readonly DrawnEdge[]) =>
  edge.from === edge.to && edge !== into.find(({ from, to }) => from === to);
