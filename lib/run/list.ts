// One page of the runs of a workspace, newest first, and the cursor to the next.
import * as z from 'zod';
import { type Caller, requireWorkspace } from '#lib/access/caller.ts';
import { readCursor, writeCursor } from '#lib/dynamo/cursor.ts';
import { collectPage } from './collect-page.ts';
import type { RunSummary } from './detail.ts';
import { addHeld, type HeldRun, readHeaders, readHeldRuns } from './held-runs.ts';
import { inlineLeaseMs, marginMs, runLimitSecondsMax } from './lease-times.ts';
import {
  type ListedRun,
  queryRuns,
  type RunListScope,
  type RunsRange,
  toListedRun,
} from './run-list-items.ts';
import { statusAt } from './state.ts';
import { isFinal } from './stored-run.ts';

export interface RunsQuery {
  readonly workspaceid: string;
  readonly flowid?: string | undefined;
  readonly a2aregistryid?: string | undefined;
  readonly trigger?: RunSummary['trigger'] | undefined;
  readonly trigger_id?: string | undefined;
  readonly environment?: string | undefined;
  readonly status?: RunSummary['status'] | undefined;
  /** RFC 3339; of the start of a run. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

export interface RunsPage {
  readonly items: RunSummary[];
  readonly nextCursor: string | undefined;
}

const limitDefault = 50;

export async function listRuns(caller: Caller, query: RunsQuery, now: number): Promise<RunsPage> {
  requireWorkspace(caller, query.workspaceid);
  const { limit = limitDefault, cursor, ...filters } = query;
  const scope = { orgid: caller.orgid, workspaceid: query.workspaceid, flowid: query.flowid };
  const binding = { list: 'runs', caller, query: filters };
  const [after] = cursor === undefined ? [] : await readCursor(cursor, binding, z.tuple([z.string()]));
  // All times lie between 0 and 9. DynamoDB takes no empty string for the key of an index.
  const from = toIso(query.from) ?? '0';
  const held = (await readHeldRuns({ orgid: caller.orgid })).filter((run) => isInScope(run, scope));
  const { found, next } = await collectPage({
    read: (to, limit) => readListed({ scope, from, to, limit }, held, now),
    isWanted: (run) => isWanted(run, filters, now),
    limit,
    before: after ?? `${toIso(query.to) ?? '9'}~`,
  });
  return {
    items: found.map((run) => toSummary(run, now)),
    nextCursor: next === undefined ? undefined : await writeCursor(binding, [next]),
  };
}

const isInScope = (run: HeldRun, { orgid, workspaceid, flowid }: RunListScope): boolean =>
  run.orgid === orgid && run.workspaceid === workspaceid && (flowid === undefined || run.flowid === flowid);

/** The header of a run that a request executes says more than an index, but it was read first. */
async function readListed(
  range: RunsRange,
  held: readonly HeldRun[],
  now: number,
): Promise<readonly ListedRun[]> {
  const indexed = await queryRuns(range);
  const known = new Map(held.map((run) => [run.run_id, toListedRun(run)]));
  const unknown = indexed.filter((run) => !known.has(run.run_id) && mayBeAbandoned(run, now));
  for (const run of await readHeaders(unknown.map(({ run_id }) => run_id)))
    known.set(run.run_id, toListedRun(run));
  const listed = indexed.map((run) => (isFinal(run.status) ? run : (known.get(run.run_id) ?? run)));
  return addHeld(listed, [...known.values()], range);
}

/**
 * A run that the request of a caller of another organisation executes has no permit here. If it is older than a
 * lease, its header shows whether its process lives. Runs that a worker executes have later deadlines.
 */
function mayBeAbandoned({ status, created_at, deadline }: ListedRun, now: number): boolean {
  const startedAt = Date.parse(created_at);
  const isInline = deadline <= startedAt + runLimitSecondsMax * 1_000;
  return status === 'working' && isInline && startedAt + inlineLeaseMs + marginMs < now;
}

/** As the positions are written, whatever the offset and precision of the parameter. */
const toIso = (time: string | undefined) => (time === undefined ? undefined : new Date(time).toISOString());

function isWanted(run: ListedRun, filters: Omit<RunsQuery, 'limit' | 'cursor'>, now: number): boolean {
  const { a2aregistryid, trigger, trigger_id, environment, status } = filters;
  return (
    (a2aregistryid === undefined || run.a2aregistryid === a2aregistryid) &&
    (trigger === undefined || run.trigger === trigger) &&
    (trigger_id === undefined || run.trigger_id === trigger_id) &&
    (environment === undefined || run.environment === environment) &&
    (status === undefined || statusAt(now, run) === status)
  );
}

function toSummary(run: ListedRun, now: number): RunSummary {
  const { run_id, trigger, trigger_id, environment, flowid, a2aregistryid, build_no, created_at, ended_at } =
    run;
  return {
    workflow_id: run_id,
    status: statusAt(now, run),
    trigger,
    ...(trigger_id !== undefined && { trigger_id }),
    environment,
    flowid,
    a2aregistryid,
    ...(build_no !== undefined && { build_no }),
    created_at,
    ...(ended_at !== undefined && { ended_at }),
  };
}
