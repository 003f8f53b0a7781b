// The path of a run through its flow, read from its log: each execution of a node and its outcome.
import * as z from 'zod';
import type { LogEntry } from '#lib/flow/ports/log-entry.ts';
import { tokens } from './result.ts';

export const nodeVisit = z
  .strictObject({
    node_id: z.string(),
    node_type: z.string().optional(),
    scope: z
      .string()
      .optional()
      .meta({ description: 'The branch or item that the node belongs to, if it is inside another node.' }),
    visit: z.int().meta({ description: '1 for the first time the run came by.' }),
    status: z.enum(['running', 'completed', 'failed', 'canceled']),
    started_at: z.string().meta({ format: 'date-time' }),
    duration_ms: z.number().optional().meta({
      description:
        'From its start to its end, with the time in which it waited; none while it is running, and where the log has left its end out.',
    }),
    tokens: tokens.optional().meta({
      description:
        'What its own calls of models used, in all attempts, also those that failed; absent where it has called none.',
    }),
    cost_estimate: z.number().optional().meta({
      description:
        'What these `tokens` cost, by the prices of the tenant, in the `currency` of the run; absent where it has called none, or one without a price.',
    }),
    reused: z
      .boolean()
      .optional()
      .meta({ description: 'true if it was not executed: a fork has its output of the run that it forks.' }),
  })
  .meta({ id: 'NodeVisit' });
export type NodeVisit = z.infer<typeof nodeVisit>;

/** How and when the run was ended. */
interface RunEnd {
  readonly status: 'completed' | 'failed' | 'canceled';
  readonly at: string;
}

/**
 * What the log left out for its length is missing here too. What ran when the run was ended from outside
 * ended with it. What runs by the log of a run that has completed has completed too, but the log does not tell when.
 */
export function readPath(logs: readonly LogEntry[], end?: RunEnd): NodeVisit[] {
  const path = readVisits(logs);
  if (!end) return path;
  const { status, at: time } = end;
  return path.map((visit) => {
    if (visit.status !== 'running') return visit;
    return status === 'completed' ? { ...visit, status } : { ...visit, ...ended({ status, time }, visit) };
  });
}

function readVisits(logs: readonly LogEntry[]): NodeVisit[] {
  const path: NodeVisit[] = [];
  /** By scope and node: how often it was visited, and the index of its last visit in the path. */
  const seen = new Map<string, { visit: number; at: number }>();
  for (const entry of logs) {
    if (entry.node_id === undefined) continue;
    const scopedNode = `${entry.scope ?? ''}/${entry.node_id}`;
    const last = seen.get(scopedNode);
    if (entry.event === 'started' || entry.event === 'reused') {
      const visit = (last?.visit ?? 0) + 1;
      const begins = begun(entry, entry.node_id, visit);
      const isReused = entry.event === 'reused';
      const at = path.push(isReused ? { ...begins, ...ended(entry, begins), reused: true } : begins) - 1;
      seen.set(scopedNode, { visit, at });
      continue;
    }
    const open = last && path[last.at];
    if (last && open && entry.status !== 'running') path[last.at] = { ...open, ...ended(entry, open) };
  }
  return path;
}

const begun = (entry: LogEntry, node_id: string, visit: number): NodeVisit => ({
  node_id,
  ...(entry.node_type !== undefined && { node_type: entry.node_type }),
  ...(entry.scope !== undefined && { scope: entry.scope }),
  visit,
  status: 'running',
  started_at: entry.time,
});

type Ended = Pick<LogEntry, 'time' | 'duration_ms'> & { readonly status: NodeVisit['status'] };

/** The entry at the end has the time since the last wait of the node. */
const ended = ({ status, time, duration_ms }: Ended, { started_at }: NodeVisit) => ({
  status,
  duration_ms: Math.max(duration_ms ?? 0, Date.parse(time) - Date.parse(started_at)),
});
