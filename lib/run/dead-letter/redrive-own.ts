// Another try for a dead letter of the caller's workspace.
import type { Caller } from '#lib/access/caller.ts';
import { requireWorkspace } from '#lib/access/permission.ts';
import { ServiceError } from '#lib/errors.ts';
import { type DeadLetter, shownLetter } from './dead-letter.ts';
import { redrive } from './redrive.ts';
import { readLetter } from './store.ts';

/** However often: a run that was executed has no second effect. */
export async function redriveOwn(
  caller: Caller,
  workspaceid: string,
  id: string,
  at: string,
): Promise<DeadLetter> {
  requireWorkspace(caller, workspaceid);
  const letter = await readLetter({ orgid: caller.orgid, workspaceid }, id);
  if (!letter) throw new ServiceError('dead_letter_not_found', { detail: `There is no dead letter ${id}.` });
  return shownLetter(await redrive(letter, at));
}
