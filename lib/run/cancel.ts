// Cancels a run of the caller's workspace. Canceling twice answers the canceled run.
import type { Caller } from '#lib/access/caller.ts';
import { ServiceError } from '#lib/errors.ts';
import { endRun } from './end.ts';
import { ownRun } from './own-run.ts';
import type { RunView } from './state.ts';
import { isFinal } from './stored-run.ts';

export async function cancelRun(
  caller: Caller,
  workspaceid: string,
  id: string,
  now: number,
): Promise<RunView> {
  const before = await ownRun(caller, workspaceid, id, now);
  const status = isFinal(before.status)
    ? before.status
    : await endRun(before.run, { status: 'canceled' }, before.events);
  if (status !== 'canceled')
    throw new ServiceError('run_over', { detail: 'The run ended before it was canceled.' });
  return await ownRun(caller, workspaceid, id, now);
}
