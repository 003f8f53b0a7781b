// A run as its events tell it, put together in the browser. Pure: applying the same event again changes nothing, so a
// stream that resumes too early does no harm.
import type { RunDetail } from '#lib/run/detail.ts';
import type { NodeVisit } from '#lib/run/visited-path.ts';

export type LogEntry = RunDetail['logs'][number];

/** An event of `followRun`, as far as it is used. */
export interface RunEvent {
  readonly generation: number;
  readonly at: string;
  readonly status: string;
  readonly logs?: readonly LogEntry[];
  readonly texts?: readonly { readonly node_id?: string; readonly key?: string; readonly text: string }[];
  readonly error?: string;
}

export interface Live {
  readonly generation: number;
  /** Undefined before the first event. */
  readonly status: RunDetail['status'] | undefined;
  readonly logs: ReadonlyMap<number, LogEntry>;
  /** What models have written, by node. */
  readonly texts: ReadonlyMap<string, string>;
}

export const nothingYet: Live = { generation: 0, status: undefined, logs: new Map(), texts: new Map() };

export function applyEvent(live: Live, event: RunEvent): Live {
  if (event.generation <= live.generation) return live;
  const logs = new Map(live.logs);
  for (const entry of event.logs ?? []) logs.set(entry.seq, entry);
  const texts = new Map(live.texts);
  for (const { node_id, text } of event.texts ?? [])
    if (node_id !== undefined) texts.set(node_id, `${texts.get(node_id) ?? ''}${text}`);
  return { generation: event.generation, status: toStatus(event.status), logs, texts };
}

/** The table has more words for a run that goes on than the API. */
const toStatus = (status: string): Live['status'] =>
  finalOrPaused.find((each) => each === status) ?? 'pending';
const finalOrPaused = ['input_required', 'auth_required', 'completed', 'failed', 'canceled'] as const;

export const isOver = (status: string): boolean =>
  status === 'completed' || status === 'failed' || status === 'canceled';

/** The log of both, in order. */
export function joinLogs(read: readonly LogEntry[], live: Live): LogEntry[] {
  const all = new Map(read.map((entry) => [entry.seq, entry]));
  for (const [seq, entry] of live.logs) all.set(seq, entry);
  return [...all.values()].sort((left, right) => left.seq - right.seq);
}

/** The executions of nodes that the log tells of, as the service reads them from it. */
export function readVisits(logs: readonly LogEntry[]): NodeVisit[] {
  const visits: NodeVisit[] = [];
  const last = new Map<string, { readonly visit: number; readonly at: number }>();
  for (const entry of logs) {
    if (entry.node_id === undefined) continue;
    const key = `${entry.scope ?? ''}/${entry.node_id}`;
    const known = last.get(key);
    if (entry.event === 'started' || entry.event === 'reused') {
      const visit = (known?.visit ?? 0) + 1;
      const begins = begin(entry, entry.node_id, visit);
      const isReused = entry.event === 'reused';
      const at = visits.push(isReused ? { ...end(begins, entry), reused: true } : begins) - 1;
      last.set(key, { visit, at });
      continue;
    }
    const open = known && visits[known.at];
    if (known && open && entry.status !== 'running') visits[known.at] = end(open, entry);
  }
  return visits;
}

const begin = (entry: LogEntry, node_id: string, visit: number): NodeVisit => ({
  node_id,
  ...(entry.node_type !== undefined && { node_type: entry.node_type }),
  ...(entry.scope !== undefined && { scope: entry.scope }),
  visit,
  status: 'running',
  started_at: entry.time,
});

const end = (open: NodeVisit, { status, time, duration_ms }: LogEntry): NodeVisit => ({
  ...open,
  status: status === 'failed' ? 'failed' : 'completed',
  duration_ms: Math.max(duration_ms ?? 0, Date.parse(time) - Date.parse(open.started_at)),
});
