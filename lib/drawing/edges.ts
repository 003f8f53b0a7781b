// The edges of a graph as a drawing shows them: those of one kind between the same two nodes are one way; and ways that would cross half the
// picture are not lines but told in the box of the node they leave, so that a large flow can be read, and be drawn within seconds.
import type { Graph, GraphEdge } from './graph.ts';
import { readingOrder } from './reading-order.ts';

export interface Way {
  readonly from: string;
  readonly to: string;
  readonly kind: GraphEdge['kind'];
  /** Of each edge, in the order in which they are written. */
  readonly labels: readonly string[];
}

export interface Ways {
  readonly lines: readonly Way[];
  /** Told in words, by the node they leave. */
  readonly told: ReadonlyMap<string, readonly Way[]>;
}

/** Rows that all lines of a graph may span together, beside one line into each node from the row above it. */
export const spanMax = 80;

export function waysOf(graph: Graph): Ways {
  const ways = merged(graph.edges);
  const lines = drawnAsLines(ways, graph);
  const told = Map.groupBy(
    ways.filter((way) => !lines.has(way)),
    ({ from }) => from,
  );
  return { lines: ways.filter((way) => lines.has(way)), told };
}

const merged = (edges: readonly GraphEdge[]): Way[] =>
  [...Map.groupBy(edges, ({ from, to, kind }) => `${from} ${kind} ${to}`).values()].flatMap((group) =>
    group.slice(0, 1).map(({ from, to, kind }) => ({
      ...{ from, to, kind },
      labels: group.map(({ label }) => label),
    })),
  );

/** All ways into a node share one fate, so that it is not half told: the nodes that collect the longest lines lose them first. */
function drawnAsLines(ways: readonly Way[], graph: Graph): ReadonlySet<Way> {
  const { depths } = readingOrder(graph);
  const rows = ({ from, to }: Way) => (depths.get(to) ?? 0) - (depths.get(from) ?? 0);
  const lines = new Set<Way>();
  const collected = [...Map.groupBy(ways, ({ to }) => to).values()].map((into) => {
    const first = into.find((way) => rows(way) === 1);
    if (first) lines.add(first);
    const more = into.filter((way) => way !== first && !isSecondLoop(way, into));
    return { more, span: more.reduce((sum, way) => sum + Math.max(1, Math.abs(rows(way))), 0) };
  });
  let left = spanMax;
  for (const { more, span } of collected.sort((a, b) => a.span - b.span)) {
    left -= span;
    if (left >= 0) for (const way of more) lines.add(way);
  }
  return lines;
}

/** A node has room for one line that leads back to itself. */
const isSecondLoop = (way: Way, into: readonly Way[]) =>
  way.from === way.to && way !== into.find(({ from, to }) => from === to);
