// The rows of the timeline: executions of nodes below the node whose branch, item or turn they belong to, and the place
// of each on the axis of time. Pure.
import type { NodeVisit } from '#lib/run/visited-path.ts';

export interface TimelineRow {
  readonly key: string;
  readonly visit: NodeVisit;
  /** 1 for nodes of the flow itself. */
  readonly level: number;
  readonly hasChildren: boolean;
  /** Shares of the width, 0 to 1. */
  readonly from: number;
  readonly width: number;
}

/** `now` is the end of what still runs. */
export function toRows(visits: readonly NodeVisit[], now: number): TimelineRow[] {
  const starts = visits.map(({ started_at }) => Date.parse(started_at));
  const ends = visits.map(
    ({ duration_ms }, n) => (starts[n] ?? 0) + (duration_ms ?? Math.max(0, now - (starts[n] ?? 0))),
  );
  const from = Math.min(...starts);
  const span = Math.max(1, Math.max(...ends) - from);
  return visits.map((visit, n) => {
    const level = scopeDepth(visit.scope) + 1;
    const [next] = visits.slice(n + 1, n + 2);
    const start = starts[n] ?? from;
    return {
      key: visitKey(visit),
      visit,
      level,
      hasChildren: next !== undefined && scopeDepth(next.scope) + 1 > level,
      from: (start - from) / span,
      width: Math.max(0.004, ((ends[n] ?? start) - start) / span),
    };
  });
}

export const visitKey = ({ scope = '', node_id, visit }: NodeVisit): string => `${scope}/${node_id}/${visit}`;

/** A scope is a path such as `each.1.0`: for each level a node, its visit, and the branch or item. */
const scopeDepth = (scope: string | undefined): number =>
  scope ? Math.ceil(scope.split('.').length / 3) : 0;

/** Rows below a closed one are left out. */
export function visibleRows(rows: readonly TimelineRow[], closed: ReadonlySet<string>): TimelineRow[] {
  const shown: TimelineRow[] = [];
  let hiddenBelow = Number.POSITIVE_INFINITY;
  for (const row of rows) {
    if (row.level > hiddenBelow) continue;
    hiddenBelow = closed.has(row.key) ? row.level : Number.POSITIVE_INFINITY;
    shown.push(row);
  }
  return shown;
}
