// The executions of a run's nodes with the times of their attempts, read from its log.
import { executionKey } from '#lib/flow/engine/snapshot.ts';
import type { LogEntry } from '#lib/flow/ports/log-entry.ts';

export interface LoggedAttempt {
  /** From 1, as `NodeCall` counts. */
  readonly attempt: number;
  /** Ms since 1970. */
  readonly startMs: number;
  readonly endMs: number;
  /** With which it failed; undefined for the one that gave the output. */
  readonly error?: LoggedError | undefined;
}

export interface LoggedError {
  readonly code: string;
  readonly message: string;
}

export interface LoggedExecution {
  /** As `NodeCall` has it, such as `each.1.0.order.1`. */
  readonly key: string;
  readonly nodeId: string;
  readonly nodeType: string;
  /** Empty at the root. */
  readonly scope: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly status: 'completed' | 'failed' | 'canceled';
  readonly error?: LoggedError | undefined;
  readonly isReused: boolean;
  /** At least one; none if it was reused. */
  readonly attempts: readonly LoggedAttempt[];
  readonly entries: readonly LogEntry[];
}

/** How and when the run ended, and with it what was still being executed. */
export interface LoggedEnd {
  readonly status: 'completed' | 'failed' | 'canceled';
  readonly ms: number;
}

/** In the order in which they began. What the log left out for its length is missing. */
export function readExecutions(logs: readonly LogEntry[], end: LoggedEnd): LoggedExecution[] {
  const found: { readonly key: string; readonly entries: LogEntry[] }[] = [];
  const last = new Map<string, { readonly visit: number; readonly entries: LogEntry[] }>();
  for (const entry of logs) {
    const { node_id, scope = '', event } = entry;
    if (node_id === undefined) continue;
    const place = `${scope}/${node_id}`;
    const known = last.get(place);
    if (event !== 'started' && event !== 'reused') {
      known?.entries.push(entry);
      continue;
    }
    const visit = (known?.visit ?? 0) + 1;
    const entries = [entry];
    last.set(place, { visit, entries });
    found.push({ key: executionKey(scope === '' ? '' : `${scope}.`, node_id, visit), entries });
  }
  return found.flatMap(({ key, entries }) => toExecution(key, entries, end));
}

function toExecution(key: string, entries: readonly LogEntry[], end: LoggedEnd): LoggedExecution[] {
  const [first] = entries;
  if (!first) return [];
  const closing = entries.findLast(({ status }) => status !== 'running');
  const startMs = Date.parse(first.time);
  const endMs = Math.max(startMs, closing ? Date.parse(closing.time) : end.ms);
  const status = closing ? toStatus(closing) : end.status;
  const error = closing && status === 'failed' ? readError(closing) : undefined;
  const isReused = first.event === 'reused';
  return [
    {
      key,
      nodeId: first.node_id ?? '',
      nodeType: first.node_type ?? '',
      scope: first.scope ?? '',
      startMs,
      endMs,
      status,
      error,
      isReused,
      attempts: isReused ? [] : readAttempts(entries, { startMs, endMs, error }),
      entries,
    },
  ];
}

const toStatus = ({ event, status }: LogEntry): LoggedExecution['status'] => {
  if (event === 'canceled') return 'canceled';
  return status === 'failed' ? 'failed' : 'completed';
};

/** An entry with a delay says that an attempt has failed, and another one follows. */
function readAttempts(
  entries: readonly LogEntry[],
  whole: Pick<LoggedExecution, 'startMs' | 'endMs' | 'error'>,
): LoggedAttempt[] {
  const attempts: LoggedAttempt[] = [];
  let { startMs } = whole;
  for (const entry of entries) {
    if (entry.event !== 'retry' || entry.delay_ms === undefined) continue;
    const endMs = Math.max(startMs, Date.parse(entry.time));
    attempts.push({ attempt: entry.attempt ?? attempts.length + 1, startMs, endMs, error: readError(entry) });
    startMs = endMs + entry.delay_ms;
  }
  const attempt = (attempts.at(-1)?.attempt ?? 0) + 1;
  const endMs = Math.max(startMs, whole.endMs);
  return [...attempts, { attempt, startMs, endMs, error: whole.error }];
}

/** Entries of errors begin with their code. */
function readError({ message }: LogEntry): LoggedError {
  const [, code] = /^([a-z][\w-]*(?:\.[\w-]+)*): /.exec(message) ?? [];
  return { code: code ?? '_OTHER', message };
}
