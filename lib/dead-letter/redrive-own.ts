// Another try for a dead letter of the caller's workspace.
import { type Caller, requireWorkspace } from '#lib/access/caller.ts';
import { ServiceError } from '#lib/errors.ts';
import { type DeadLetter, noSuchLetter, shownLetter } from '#lib/run/dead-letter.ts';
import { readLetter } from '#lib/run/dead-letter-items.ts';
import { endIfAbandoned } from '#lib/run/end.ts';
import { readRun } from '#lib/run/run-items.ts';
import { isFinal } from '#lib/run/stored-run.ts';
import { previewOf } from './encrypted-letter.ts';
import { redrive } from './redrive.ts';

/** However often: a run that was executed has no second effect. Refused for one that is over, which would promise an effect that never comes. */
export async function redriveOwn(
  caller: Caller,
  workspaceid: string,
  id: string,
  at: string,
): Promise<DeadLetter> {
  requireWorkspace(caller, workspaceid);
  const letter = await readLetter({ orgid: caller.orgid, workspaceid }, id);
  if (!letter || letter.dismissed_at !== undefined) throw noSuchLetter(id);
  await requireOpenRun(letter.id, Date.parse(at));
  const preview = await previewOf(letter);
  return shownLetter(await redrive(letter, at), preview);
}

/** A message that never got as far as a run has one when it comes again. */
async function requireOpenRun(id: string, now: number): Promise<void> {
  const found = await readRun(id);
  const run = found && (await endIfAbandoned(found, now));
  if (!run || !isFinal(run.status)) return;
  const detail = `The run ${id} is ${run.status} and stays so; start another, or send the event under another name.`;
  throw new ServiceError('run_over', { detail });
}
