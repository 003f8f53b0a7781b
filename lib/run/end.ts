// The end of a run: written here by those who end it from outside, such as a cancel, and followed in every
// case by its callback, its expiry, the metric and the operator's log. An end from outside is one more event
// that needs no lease; the next write of the runner fails and its work is aborted.
import * as z from 'zod';
import { runsTable } from '#lib/dynamo/client.ts';
import { mustExist } from '#lib/dynamo/conditions.ts';
import { type Key, updateItemIf } from '#lib/dynamo/items.ts';
import { queryAll } from '#lib/dynamo/query.ts';
import { redacted, shortened } from '#lib/flow/engine/log-preview.ts';
import type { Outcome } from '#lib/flow/engine/run-flow.ts';
import type { LogEntry } from '#lib/flow/ports/log-entry.ts';
import type { Log } from '#lib/log.ts';
import { count } from '#lib/metrics.ts';
import { enqueueCallback } from './callback-queue.ts';
import { type FailedEnd, interrupted } from './failure.ts';
import { appendEvent, readRun, readRunEventItems } from './run-items.ts';
import {
  type EventItem,
  isAbandonedAt,
  isFinal,
  keepUntil,
  type RunStatus,
  readLogs,
  readTraceId,
  runKey,
  type StoredRun,
} from './stored-run.ts';

type OutsideEnd = { readonly status: 'canceled' } | FailedEnd;

/**
 * Returns how the run ended, which may differ from `end` when another process was faster. Conflicts with the
 * runner's own writes are tried again. `known` are the events of the run as it is given; without them they
 * are read.
 */
export async function endRun(
  run: StoredRun,
  end: OutsideEnd,
  known?: readonly EventItem[],
): Promise<RunStatus | undefined> {
  let current: StoredRun | undefined = run;
  let events = known;
  while (current && !isFinal(current.status)) {
    events ??= await readRunEventItems(current);
    if (await appendEvent({ run: current, event: lastEvent(current, events, end) })) {
      await followEnd(current);
      countEnd(run, end.status);
      return end.status;
    }
    [current, events] = [await readRun(run.run_id), undefined];
  }
  return current?.status;
}

/** Call it once the end of a run is stored. */
export async function followEnd(run: StoredRun, log?: Log): Promise<void> {
  await enqueueCallback(run, log);
  if (run.exported) await (await import('./export-queue.ts')).enqueueExport(run, log);
  await expireEarlier(run);
}

/** Counts a run that has ended, in the metric `Runs`. `beside` is for the line of the log. */
function countEnd(
  { trigger }: Pick<StoredRun, 'trigger'>,
  status: RunStatus,
  beside?: Readonly<Record<string, string>>,
): void {
  count('Runs', { dimensions: { status }, beside: { trigger, ...beside } });
}

function lastEvent({ generation }: StoredRun, events: readonly EventItem[], end: OutsideEnd): EventItem {
  const at = new Date().toISOString();
  const seq = (readLogs(events).at(-1)?.seq ?? 0) + 1;
  const entry: LogEntry = { seq, time: at, status: 'failed', ...describeEnd(end) };
  const used = events.findLast((event) => event.used)?.used;
  return { generation: generation + 1, at, logs: JSON.stringify([entry]), ...(used && { used }), ...end };
}

const describeEnd = (end: OutsideEnd): Pick<LogEntry, 'level' | 'event' | 'message'> =>
  end.status === 'canceled'
    ? { level: 'info', event: 'run_canceled', message: 'The run was canceled.' }
    : { level: 'error', event: 'run_failed', message: `The run failed: ${end.error}` };

/**
 * Writes the end of an abandoned run before anybody sees the run, so that no process resumes it afterwards.
 */
export async function endIfAbandoned(run: StoredRun, now: number): Promise<StoredRun> {
  if (!isAbandonedAt(now, run)) return run;
  await endRun(run, interrupted);
  return (await readRun(run.run_id)) ?? run;
}

/** Most runs were never paused for long and keep their expiry. */
async function expireEarlier(run: Pick<StoredRun, 'run_id' | 'ttl'>): Promise<void> {
  if (run.ttl > keepUntil(Date.now())) await expireTogether(run.run_id);
}

const expiring = /* @__PURE__ */ z.lazy(() =>
  z.array(z.object({ sk: z.string(), ttl: z.number().optional() })),
);

/** The items are read again after each pass, since the run may continue, or end, at the same time. */
const passesMax = 5;
const concurrency = 25;

/** Gives all items of a run the expiry of its header. Needed only by the few runs whose expiry changes. */
export async function expireTogether(runId: string): Promise<void> {
  const { pk } = runKey(runId);
  for (let pass = 0; pass < passesMax; pass += 1) {
    const items = await queryExpiries(pk);
    const ttl = items.find(({ sk }) => sk === 'HEAD')?.ttl;
    const others = items.filter((item) => item.ttl !== ttl);
    if (ttl === undefined || others.length === 0) return;
    for (let start = 0; start < others.length; start += concurrency)
      await Promise.all(others.slice(start, start + concurrency).map(({ sk }) => setExpiry({ pk, sk }, ttl)));
  }
}

const queryExpiries = async (pk: string) =>
  expiring.parse(
    await queryAll(runsTable, {
      KeyConditionExpression: 'pk = :pk',
      ProjectionExpression: 'sk, #ttl',
      ExpressionAttributeNames: { '#ttl': 'ttl' },
      ExpressionAttributeValues: { ':pk': pk },
      ConsistentRead: true,
    }),
  );

/** Nothing happens to an item that is gone, such as a chunk of a former snapshot. */
async function setExpiry(key: Key, ttl: number): Promise<void> {
  await updateItemIf(runsTable, key, {
    UpdateExpression: 'SET #ttl = :ttl',
    ...mustExist,
    ExpressionAttributeNames: { '#ttl': 'ttl' },
    ExpressionAttributeValues: { ':ttl': ttl },
  });
}

/** For operators: the line of the metric is also that of the log, since CloudWatch charges for each line. */
export function reportEnd({ fields }: Log, run: StoredRun, { status }: { readonly status: RunStatus }): void {
  const { run_id, flowid } = run;
  countEnd(run, status, { message: 'run', ...fields, run_id, flowid, trace_id: readTraceId(run) });
}

export function logRunError(log: Log, message: string, { run_id }: StoredRun, error: unknown): void {
  const reason = error instanceof Error ? `${error.name}: ${error.message}` : 'unknown';
  log.error(message, { run_id, reason });
}

/**
 * Reports a run that the service itself has failed. The log of the run and its answer only say that it
 * failed; an error of any library may quote what it was given, so it is redacted.
 */
export function logDefect(log: Log, { run_id }: Pick<StoredRun, 'run_id'>, failure: Defect): void {
  const { node_id, message, cause } = failure;
  const reason = cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause ?? message);
  const stack = cause instanceof Error ? cause.stack : undefined;
  const toText = (text: string) => shortened(redacted(text), defectCharsMax);
  log.error('run failed by a defect', {
    run_id,
    node_id,
    reason: toText(reason),
    stack: stack === undefined ? undefined : toText(stack),
  });
}

type Defect = Extract<Outcome, { status: 'failed' }>['error'];
const defectCharsMax = 4_000;
