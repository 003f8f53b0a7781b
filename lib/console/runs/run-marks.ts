// What the picture of a flow shows of a run: the state of each node, and the edges that were taken. Pure.
import { findExecutedPath, findOwnNode } from '#lib/drawing/executed-path.ts';
import type { Graph } from '#lib/drawing/graph.ts';
import type { NodeVisit } from '#lib/run/visited-path.ts';
import { formatCount, formatDuration } from '../parts/format.ts';
import type { Marks, NodeMark } from '../picture/marks.ts';
import type { LogEntry } from './run-events.ts';
import { visitKey } from './timeline-rows.ts';
import { words } from './words.ts';

export function markRun(
  graph: Graph,
  visits: readonly NodeVisit[],
  logs: readonly LogEntry[],
  runStatus: string,
): Marks {
  const nodes = [...groupByNode(graph, visits)].map(([id, each]) => [id, markNode(each, runStatus)] as const);
  const { edges } = findExecutedPath(graph, logs);
  return {
    nodes: new Map(nodes),
    edges: new Map([...edges].map((key) => [key, 'taken'] as const)),
    unmarked: words.notReached,
  };
}

/** Without the visits of called flows, which have pictures of their own. */
function groupByNode(graph: Graph, visits: readonly NodeVisit[]): ReadonlyMap<string, NodeVisit[]> {
  const ownNode = findOwnNode(graph);
  return Map.groupBy(
    visits.filter((visit) => ownNode(visit) === visit.node_id),
    ({ node_id }) => node_id,
  );
}

/** The node in whose box a visit happened. */
export const findVisited = (graph: Graph, visit: NodeVisit | undefined): string | undefined =>
  visit && findOwnNode(graph)(visit);

/** The visit that people look for at a node: one that runs, or that failed, or else the last one. */
export function findTellingVisit(graph: Graph, visits: readonly NodeVisit[], id: string): string | undefined {
  const own = groupByNode(graph, visits).get(id) ?? [];
  const telling =
    own.findLast(({ status }) => status === 'running') ??
    own.findLast(({ status }) => status === 'failed') ??
    own.at(-1);
  return telling && visitKey(telling);
}

const looks = {
  input_required: { state: words.states.input_required, tone: 'wait', icon: 'question' },
  auth_required: { state: words.states.auth_required, tone: 'wait', icon: 'lock' },
  running: { state: words.states.running, tone: 'busy', icon: 'working' },
  failed: { state: words.states.failed, tone: 'bad', icon: 'failed' },
  canceled: { state: words.states.canceled, tone: 'idle', icon: 'canceled' },
  completed: { state: words.states.completed, tone: 'good', icon: 'done' },
} as const;

function markNode(visits: readonly NodeVisit[], runStatus: string): NodeMark {
  const { state, tone, icon } = looks[findState(visits, runStatus)];
  const failed = visits.filter(({ status }) => status === 'failed').length;
  const isRunning = visits.some(({ status }) => status === 'running');
  const duration = formatDuration(visits.reduce((sum, { duration_ms = 0 }) => sum + duration_ms, 0));
  const times = visits.length > 1 ? `${formatCount(visits.length)}×` : '';
  const failures = failed > 0 && visits.length > 1 ? words.failedOf(failed, visits.length) : '';
  const parts = isRunning ? [state, times] : [failures || times, duration];
  return {
    label: [state, failures, times && words.times(visits.length), isRunning ? '' : duration]
      .filter((part) => part !== '')
      .join(', '),
    text: parts.filter((part) => part !== '').join(' · '),
    tone,
    icon,
  };
}

function findState(visits: readonly NodeVisit[], runStatus: string): keyof typeof looks {
  if (visits.some(({ status }) => status === 'running'))
    return runStatus === 'input_required' || runStatus === 'auth_required' ? runStatus : 'running';
  if (visits.some(({ status }) => status === 'failed')) return 'failed';
  return visits.some(({ status }) => status === 'canceled') ? 'canceled' : 'completed';
}
