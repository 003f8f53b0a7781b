// Cancels a run of the caller's workspace. Canceling twice answers the canceled run.
import type { Caller } from '#lib/access/caller.ts';
import { ServiceError } from '#lib/errors.ts';
import { endRun } from './end.ts';
import { ownRun } from './own-run.ts';
import type { RunView } from './state.ts';
import { isFinal } from './stored-run.ts';
import { wakeForTasks } from './wake-for-tasks.ts';

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
  const canceled = await ownRun(caller, workspaceid, id, now);
  await wakeForTasks(canceled.run, now);
  return canceled;
}
