// The order in which a graph is read: from its start along its edges. What leads to a node that was read before leads back.

export interface Directed {
  readonly start: string;
  readonly nodes: readonly { readonly id: string }[];
  readonly edges: readonly { readonly from: string; readonly to: string }[];
}

export interface ReadingOrder {
  /** A node stands after all that lead on to it. */
  readonly ids: readonly string[];
  /** How many rows a node lies below the start, along the longest way that does not lead back. */
  readonly depths: ReadonlyMap<string, number>;
}

export function readingOrder(graph: Directed): ReadingOrder {
  const targets = targetsOf(graph);
  const ids = idsInOrder(graph, targets);
  const places = new Map(ids.map((id, index) => [id, index]));
  const depths = new Map(ids.map((id) => [id, 0]));
  for (const [place, id] of ids.entries())
    for (const to of targets.get(id) ?? []) {
      const leadsOn = (places.get(to) ?? 0) > place;
      if (leadsOn) depths.set(to, Math.max(depths.get(to) ?? 0, (depths.get(id) ?? 0) + 1));
    }
  return { ids, depths };
}

const targetsOf = ({ edges }: Directed): ReadonlyMap<string, readonly string[]> =>
  new Map([...Map.groupBy(edges, ({ from }) => from)].map(([id, out]) => [id, out.map(({ to }) => to)]));

/** Depth first; a node gets its place when all that it leads to have theirs. The first edge of a node is followed last, so it is read first. */
function idsInOrder({ start, nodes }: Directed, targets: ReadonlyMap<string, readonly string[]>): string[] {
  const seen = new Set<string>();
  const ids: string[] = [];
  for (const root of [start, ...nodes.map(({ id }) => id)]) {
    const left: string[] = [];
    const visit = (id: string): void => {
      if (seen.has(id)) return;
      seen.add(id);
      for (const to of targets.get(id)?.toReversed() ?? []) visit(to);
      left.push(id);
    };
    visit(root);
    ids.push(...left.reverse());
  }
  return ids;
}
