// The executed path of a run, read from its log: which nodes were executed and in which order, how long they
// took, and which edges the run took.
import { type Graph, type GraphNode, listGraphNodes } from './graph.ts';

/** What a drawing needs of an entry of the log. */
export interface PathEntry {
  readonly event: string;
  readonly message: string;
  readonly node_id?: string | undefined;
  readonly scope?: string | undefined;
  readonly status?: string | undefined;
  readonly duration_ms?: number | undefined;
}
export type LogEntries = readonly PathEntry[];

export interface ExecutedPath {
  readonly nodes: ReadonlyMap<string, ExecutedNode>;
  /** Keys as `edgeKey` forms them. */
  readonly edges: ReadonlySet<string>;
  /** The message with which the run ended. */
  readonly endMessage: string | undefined;
}

export interface ExecutedNode {
  /** Numbers of its executions in the order of the run, from 1. */
  readonly executions: readonly number[];
  readonly durationMs: number;
  readonly failed: boolean;
}

export const edgeKey = (from: string, to: string, isCaught: boolean) =>
  `${from} ${isCaught ? '!' : '>'} ${to}`;

export function findExecutedPath(graph: Graph, log: LogEntries): ExecutedPath {
  const nodes = new Map<string, ExecutedNode>();
  const edges = new Set<string>();
  const known = indexNodes(graph);
  /** The last node of each scope, and whether its error was caught. */
  const last = new Map<string, { readonly id: string; readonly isCaught: boolean }>();
  let count = 0;
  for (const { event, status, node_id: id, scope = '', duration_ms = 0 } of log) {
    if (id === undefined || !isOwnScope(scope, known)) continue;
    const before = nodes.get(id) ?? { executions: [], durationMs: 0, failed: false };
    if (event === 'started' || event === 'redirected' || event === 'reused') {
      const from = last.get(scope);
      if (from) edges.add(edgeKey(from.id, id, from.isCaught));
    }
    const isCaught = event === 'caught' || (event === 'reused' && status === 'failed');
    if (event === 'started' || event === 'reused') {
      nodes.set(id, {
        ...before,
        executions: [...before.executions, ++count],
        failed: before.failed || isCaught,
      });
    } else if (event === 'completed')
      nodes.set(id, { ...before, durationMs: before.durationMs + duration_ms });
    else if (event === 'failed' || isCaught) nodes.set(id, { ...before, failed: true });
    last.set(scope, { id, isCaught });
  }
  return { nodes, edges, endMessage: log.findLast(({ event }) => event.startsWith('run_'))?.message };
}

/** The note on each node: the numbers of its executions, and their total time. */
export function describeExecutions({ nodes }: ExecutedPath): ReadonlyMap<string, string> {
  return new Map(
    [...nodes].map(([id, { executions, durationMs }]) => {
      const shown = executions.slice(0, executionsShown).join(', ');
      const rest = executions.length > executionsShown ? ` … (${executions.length}×)` : '';
      return [id, `${shown}${rest} · ${durationMs} ms`];
    }),
  );
}

const executionsShown = 3;

/** The first node in the log that the graph does not have; then the log belongs to another flow. */
export function findUnknownNode(graph: Graph, log: LogEntries): string | undefined {
  const known = indexNodes(graph);
  return log.flatMap((entry) => ownNodeIds(entry, known)).find((id) => !known.has(id));
}

/** The node of the graph to which something belongs: that of a called flow to the node that calls it. */
export function findOwnNode(
  graph: Graph,
): (entry: Pick<PathEntry, 'node_id' | 'scope'>) => string | undefined {
  const known = indexNodes(graph);
  return (entry) => ownNodeIds(entry, known).findLast((id) => known.has(id));
}

/** The node of an entry and the nodes around it, without those of a called flow. */
function ownNodeIds(
  { node_id, scope = '' }: Pick<PathEntry, 'node_id' | 'scope'>,
  known: NodesById,
): readonly string[] {
  const ids = node_id === undefined ? listEnclosingNodes(scope) : [...listEnclosingNodes(scope), node_id];
  const last = ids.findIndex((id) => known.has(id) && !hasBlocks(id, known));
  return last < 0 ? ids : ids.slice(0, last + 1);
}

type NodesById = ReadonlyMap<string, GraphNode>;

/** Ids are unique in the whole flow, also in blocks. */
const indexNodes = (graph: Graph): NodesById => new Map(listGraphNodes(graph).map((node) => [node.id, node]));

/** A scope is named `node.execution.name`; a scope inside it appends another three parts. */
const listEnclosingNodes = (scope: string): readonly string[] =>
  scope.split('.').filter((_, index) => index % 3 === 0 && scope !== '');

const hasBlocks = (id: string, known: NodesById) => (known.get(id)?.inside.length ?? 0) > 0;

/** A scope inside a node without blocks belongs to a called flow, which has ids of its own. */
const isOwnScope = (scope: string, known: NodesById) =>
  listEnclosingNodes(scope).every((id) => hasBlocks(id, known));
