// Takes a dead letter off the list of the caller's workspace, for an event that nobody wants to be run any more.
import { type Caller, requireWorkspace } from '#lib/access/caller.ts';
import { noSuchLetter } from '#lib/run/dead-letter.ts';
import { markDismissed, readLetter } from '#lib/run/dead-letter-items.ts';

/** A letter that is dismissed already is missing, as for everybody else. */
export async function dismissOwn(caller: Caller, workspaceid: string, id: string, at: string): Promise<void> {
  requireWorkspace(caller, workspaceid);
  const place = { orgid: caller.orgid, workspaceid };
  // Read first: nothing is written under a name that is not the caller's.
  const letter = await readLetter(place, id);
  if (!letter || !(await markDismissed(place, id, at))) throw noSuchLetter(id);
}
