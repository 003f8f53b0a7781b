// The way a run took, read from its log: which nodes it entered in which order, how long they took, and along which edges it went.
import * as z from 'zod';
import type { Graph, GraphNode } from './graph.ts';

/** Of a log entry; it has more, which a drawing does not need. */
const entry = z.object({
  event: z.string(),
  message: z.string(),
  node_id: z.string().optional(),
  scope: z.string().optional(),
  duration_ms: z.number().optional(),
});
type LogEntry = z.infer<typeof entry>;
export type LogEntries = readonly LogEntry[];

/** The result of a run, or its log alone. */
export const runLog = z.union([
  z.array(entry),
  z.object({ logs: z.array(entry) }).transform(({ logs }) => logs),
]);

export interface Taken {
  readonly nodes: ReadonlyMap<string, TakenNode>;
  /** Pairs of ids as `edgeKey` writes them. */
  readonly edges: ReadonlySet<string>;
  /** What became of the run. */
  readonly ending: string | undefined;
}

export interface TakenNode {
  /** The places of its visits in the order of the run, from 1. */
  readonly visits: readonly number[];
  readonly durationMs: number;
  readonly failed: boolean;
}

export const edgeKey = (from: string, to: string, isCaught: boolean) =>
  `${from} ${isCaught ? '!' : '>'} ${to}`;

export function takenWay(graph: Graph, log: LogEntries): Taken {
  const nodes = new Map<string, TakenNode>();
  const edges = new Set<string>();
  const known = nodesIn(graph);
  /** The node in which the cursor of each scope stood last, and whether an error led away from it. */
  const last = new Map<string, { readonly id: string; readonly isCaught: boolean }>();
  let count = 0;
  for (const { event, node_id: id, scope = '', duration_ms = 0 } of log) {
    if (id === undefined || !isOwn(scope, known)) continue;
    const before = nodes.get(id) ?? { visits: [], durationMs: 0, failed: false };
    if (event === 'started') {
      const from = last.get(scope);
      if (from) edges.add(edgeKey(from.id, id, from.isCaught));
      nodes.set(id, { ...before, visits: [...before.visits, ++count] });
    } else if (event === 'completed')
      nodes.set(id, { ...before, durationMs: before.durationMs + duration_ms });
    else if (event === 'failed' || event === 'caught') nodes.set(id, { ...before, failed: true });
    last.set(scope, { id, isCaught: event === 'caught' });
  }
  return { nodes, edges, ending: log.findLast(({ event }) => event.startsWith('run_'))?.message };
}

/** What stands on each node: the order of its visits, and the time of all of them. */
export function notesOf({ nodes }: Taken): ReadonlyMap<string, string> {
  return new Map(
    [...nodes].map(([id, { visits, durationMs }]) => {
      const shown = visits.slice(0, visitsShown).join(', ');
      const rest = visits.length > visitsShown ? ` … (${visits.length}×)` : '';
      return [id, `${shown}${rest} · ${durationMs} ms`];
    }),
  );
}

const visitsShown = 3;

/** The first node of a log that the graph does not have: the log is another flow's. */
export function strangeNode(graph: Graph, log: LogEntries): string | undefined {
  const known = nodesIn(graph);
  return log.flatMap((entry) => ownIds(entry, known)).find((id) => !known.has(id));
}

/** The node of an entry with those it stands in, as far as they are not a called flow's. */
function ownIds({ node_id, scope = '' }: LogEntry, known: NodesById): readonly string[] {
  const ids = node_id === undefined ? hostsOf(scope) : [...hostsOf(scope), node_id];
  const last = ids.findIndex((id) => known.has(id) && !holdsNodes(id, known));
  return last < 0 ? ids : ids.slice(0, last + 1);
}

type NodesById = ReadonlyMap<string, GraphNode>;

/** Ids are unique in a flow, whatever they stand in. */
function nodesIn({ nodes }: Graph): NodesById {
  const inside = nodes.flatMap((node) => node.inside.flatMap(({ graph }) => [...nodesIn(graph).values()]));
  return new Map([...nodes, ...inside].map((node) => [node.id, node]));
}

/** A scope is named `node.visit.name`, again for each scope in it. */
const hostsOf = (scope: string): readonly string[] =>
  scope.split('.').filter((_, index) => index % 3 === 0 && scope !== '');

const holdsNodes = (id: string, known: NodesById) => (known.get(id)?.inside.length ?? 0) > 0;

/** A scope inside a node that holds no nodes is a called flow's, with ids of its own. */
const isOwn = (scope: string, known: NodesById) => hostsOf(scope).every((id) => holdsNodes(id, known));
