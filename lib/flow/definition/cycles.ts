// Where ways lead back: the parts of a graph whose nodes all lead to one another.

/** Nodes that lead to one another, or one node alone. */
export interface GraphPart {
  readonly ids: ReadonlySet<string>;
  /** Whether a way leads from its nodes back to them. */
  readonly isLoop: boolean;
}

/** Those that can be reached from `starts`; what a part leads to comes before it (Tarjan's strongly connected components). */
export function graphParts(
  starts: Iterable<string>,
  waysOf: (id: string) => readonly string[],
): readonly GraphPart[] {
  const parts: GraphPart[] = [];
  const order = new Map<string, number>();
  /** Seen, and not yet in a part. */
  const open: string[] = [];
  const closed = new Set<string>();
  /** Gives the earliest node that is open and can be reached from there. */
  const visit = (id: string): number => {
    const own = order.size;
    order.set(id, own);
    const place = open.push(id) - 1;
    let earliest = own;
    for (const next of waysOf(id)) {
      if (!closed.has(next)) earliest = Math.min(earliest, order.get(next) ?? visit(next));
    }
    if (earliest < own) return earliest;
    const ids = open.splice(place);
    for (const one of ids) closed.add(one);
    parts.push({ ids: new Set(ids), isLoop: ids.length > 1 || waysOf(id).includes(id) });
    return earliest;
  };
  for (const start of starts) if (!order.has(start)) visit(start);
  return parts;
}
