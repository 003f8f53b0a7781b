// Finds the strongly connected components of a graph, to tell where its paths lead back (Tarjan's algorithm).

/** Nodes that lead to one another, or one node alone. */
export interface Component {
  readonly ids: ReadonlySet<string>;
  /** Whether a path leads from its nodes back to them. */
  readonly isLoop: boolean;
}

/** The components that can be reached from `starts`. Each comes after those that it leads to. */
export function findComponents(
  starts: Iterable<string>,
  edgesFrom: (id: string) => readonly string[],
): readonly Component[] {
  const components: Component[] = [];
  const order = new Map<string, number>();
  /** Visited, and not yet in a component. */
  const open: string[] = [];
  const closed = new Set<string>();
  /** Returns the earliest open node that can be reached from this one. */
  const visit = (id: string): number => {
    const own = order.size;
    order.set(id, own);
    const position = open.push(id) - 1;
    let earliest = own;
    for (const next of edgesFrom(id)) {
      if (!closed.has(next)) earliest = Math.min(earliest, order.get(next) ?? visit(next));
    }
    if (earliest < own) return earliest;
    const ids = open.splice(position);
    for (const one of ids) closed.add(one);
    components.push({ ids: new Set(ids), isLoop: ids.length > 1 || edgesFrom(id).includes(id) });
    return earliest;
  };
  for (const start of starts) if (!order.has(start)) visit(start);
  return components;
}
