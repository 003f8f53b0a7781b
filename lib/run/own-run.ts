// A run of the caller's own workspace, or the one answer for missing and foreign alike.
import type { Caller } from '#lib/access/caller.ts';
import { requireWorkspace } from '#lib/access/permission.ts';
import { ServiceError } from '#lib/errors.ts';
import { type RunView, viewRun } from './state.ts';
import { readEvents, readRun } from './store.ts';

export async function ownRun(caller: Caller, workspaceid: string, id: string, now: number): Promise<RunView> {
  requireWorkspace(caller, workspaceid);
  const run = await readRun(id);
  if (run?.orgid !== caller.orgid || run.workspaceid !== workspaceid) {
    throw new ServiceError('run_not_found', { detail: 'There is no such run, or it has not begun yet.' });
  }
  return viewRun(run, await readEvents(id), now);
}
