// Dismisses a dead letter of the caller's workspace, whose event is not needed any more.
import { type Caller, requireWorkspace } from '#lib/access/caller.ts';
import { letterNotFound } from '#lib/run/dead-letter.ts';
import { markDismissed, readLetter } from '#lib/run/dead-letter-items.ts';

/** A letter that is already dismissed gives the same error as a missing one. */
export async function dismissLetter(
  caller: Caller,
  workspaceid: string,
  id: string,
  at: string,
): Promise<void> {
  requireWorkspace(caller, workspaceid);
  const scope = { orgid: caller.orgid, workspaceid };
  // Read first, so that nothing is written unless the letter exists in the caller's workspace.
  const letter = await readLetter(scope, id);
  if (!letter || !(await markDismissed(scope, id, at))) throw letterNotFound(id);
}
