// A run of the caller's own workspace, or the one answer for missing and foreign alike.
import type { Caller } from '#lib/access/caller.ts';
import { mayUseWorkspace, requireWorkspace } from '#lib/access/permission.ts';
import { ServiceError } from '#lib/errors.ts';
import { endIfAbandoned } from './end.ts';
import { type RunView, viewRun } from './state.ts';
import { readEvents, readRun } from './store.ts';
import type { StoredRun } from './stored.ts';

export async function ownRun(caller: Caller, workspaceid: string, id: string, now: number): Promise<RunView> {
  const found = await findOwnRun(caller, workspaceid, id, now);
  if (found) return found;
  throw runNotFound();
}

export async function findOwnRun(
  caller: Caller,
  workspaceid: string,
  id: string,
  now: number,
): Promise<RunView | undefined> {
  requireWorkspace(caller, workspaceid);
  const run = await readRun(id);
  if (run?.orgid !== caller.orgid || run.workspaceid !== workspaceid) return undefined;
  return await viewNow(run, now);
}

/** For addresses that name no workspace. */
export async function ownRunById(caller: Caller, id: string, now: number): Promise<RunView> {
  const run = await readRun(id);
  if (run?.orgid !== caller.orgid || !mayUseWorkspace(caller, run.workspaceid)) throw runNotFound();
  caller.onWorkspace?.(run.workspaceid);
  return await viewNow(run, now);
}

async function viewNow(found: StoredRun, now: number): Promise<RunView> {
  const run = await endIfAbandoned(found, now);
  return viewRun(run, await readEvents(run.run_id));
}

export const runNotFound = () =>
  new ServiceError('run_not_found', {
    detail:
      'There is no such run. An event that was accepted has none until it is begun: ask again in a moment.',
  });
