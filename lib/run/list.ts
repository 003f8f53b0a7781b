// One page of the runs of a workspace, newest first, and the cursor to the next.
import * as z from 'zod';
import { type Caller, requireWorkspace } from '#lib/access/caller.ts';
import { readCursor, writeCursor } from '#lib/dynamo/cursor.ts';
import { collectPage } from './collect-page.ts';
import type { RunSummary } from './detail.ts';
import { createRerunReader, createRunReader, positionAfter } from './listed-runs.ts';
import type { ListedRun } from './run-list-items.ts';
import { statusAt } from './state.ts';

export interface RunsQuery {
  readonly workspaceid: string;
  readonly flowid?: string | undefined;
  readonly a2aregistryid?: string | undefined;
  readonly trigger?: RunSummary['trigger'] | undefined;
  readonly trigger_id?: string | undefined;
  readonly environment?: string | undefined;
  readonly created_by?: string | undefined;
  /** Runs that have repeated this one, or forked it. */
  readonly replay_of?: string | undefined;
  readonly fork_of?: string | undefined;
  /** Alternatives. */
  readonly status?: readonly RunSummary['status'][] | undefined;
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
  const isOfReruns = query.replay_of !== undefined || query.fork_of !== undefined;
  const { found, next } = await collectPage({
    read: isOfReruns
      ? await createRerunReader(scope, query, query.from)
      : await createRunReader(scope, query.from, now),
    isWanted: (run) => isWanted(run, filters, now),
    limit,
    before: after ?? positionAfter(query.to),
  });
  return {
    items: found.map((run) => toSummary(run, now)),
    nextCursor: next === undefined ? undefined : await writeCursor(binding, [next]),
  };
}

function isWanted(run: ListedRun, filters: Omit<RunsQuery, 'limit' | 'cursor'>, now: number): boolean {
  const { a2aregistryid, trigger, trigger_id, environment, created_by, status } = filters;
  return (
    (a2aregistryid === undefined || run.a2aregistryid === a2aregistryid) &&
    (trigger === undefined || run.trigger === trigger) &&
    (trigger_id === undefined || run.trigger_id === trigger_id) &&
    (environment === undefined || run.environment === environment) &&
    (created_by === undefined || run.created_by === created_by) &&
    (status === undefined || status.includes(statusAt(now, run)))
  );
}

function toSummary(run: ListedRun, now: number): RunSummary {
  const { run_id, trigger, trigger_id, environment, flowid, a2aregistryid, build_no } = run;
  const { created_by, caller_organization, created_at, ended_at } = run;
  return {
    workflow_id: run_id,
    status: statusAt(now, run),
    trigger,
    ...(trigger_id !== undefined && { trigger_id }),
    environment,
    flowid,
    a2aregistryid,
    ...(build_no !== undefined && { build_no }),
    ...(created_by !== undefined && { created_by }),
    ...(caller_organization !== undefined && { caller_organization }),
    created_at,
    ...(ended_at !== undefined && { ended_at }),
  };
}
