// The order in which a graph is read: from its start along its edges. An edge to a node that comes earlier in
// this order leads back.

export interface Directed {
  readonly start: string;
  readonly nodes: readonly { readonly id: string }[];
  readonly edges: readonly { readonly from: string; readonly to: string }[];
}

export interface ReadingOrder {
  /** A node comes after all nodes that lead to it by an edge that does not lead back. */
  readonly ids: readonly string[];
  /** Number of rows between the start and a node, along the longest path without edges that lead back. */
  readonly depths: ReadonlyMap<string, number>;
}

export function readingOrder(graph: Directed): ReadingOrder {
  const targets = groupTargets(graph);
  const ids = sortIds(graph, targets);
  const positions = new Map(ids.map((id, index) => [id, index]));
  const depths = new Map(ids.map((id) => [id, 0]));
  for (const [position, id] of ids.entries())
    for (const to of targets.get(id) ?? []) {
      const isForward = (positions.get(to) ?? 0) > position;
      if (isForward) depths.set(to, Math.max(depths.get(to) ?? 0, (depths.get(id) ?? 0) + 1));
    }
  return { ids, depths };
}

const groupTargets = ({ edges }: Directed): ReadonlyMap<string, readonly string[]> =>
  new Map([...Map.groupBy(edges, ({ from }) => from)].map(([id, out]) => [id, out.map(({ to }) => to)]));

/**
 * A topological sort, depth first. The first edge of a node is followed last, so that its target is read
 * first.
 */
function sortIds({ start, nodes }: Directed, targets: ReadonlyMap<string, readonly string[]>): string[] {
  const seen = new Set<string>();
  const ids: string[] = [];
  for (const root of [start, ...nodes.map(({ id }) => id)]) {
    const finished: string[] = [];
    const visit = (id: string): void => {
      if (seen.has(id)) return;
      seen.add(id);
      for (const to of targets.get(id)?.toReversed() ?? []) visit(to);
      finished.push(id);
    };
    visit(root);
    ids.push(...finished.reverse());
  }
  return ids;
}
