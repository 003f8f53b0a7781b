// Puts a dead letter back into the run queue.
import { type Caller, requireWorkspace } from '#lib/access/caller.ts';
import { ServiceError } from '#lib/errors.ts';
import {
  type DeadLetter,
  letterNotFound,
  type StoredDeadLetter,
  toWireLetter,
} from '#lib/run/dead-letter.ts';
import { markRedriven, readLetter } from '#lib/run/dead-letter-items.ts';
import { endIfAbandoned } from '#lib/run/end.ts';
import { readRun } from '#lib/run/run-items.ts';
import { putBack } from '#lib/run/run-queue.ts';
import { isFinal, type RunStatus } from '#lib/run/stored-run.ts';
import { decryptBody, decryptPreview } from './encrypted-letter.ts';

/**
 * May be repeated: a run that has been executed is not executed again. Refused if the run has ended, because
 * nothing would happen.
 */
export async function redriveOwnLetter(
  caller: Caller,
  workspaceid: string,
  id: string,
  at: string,
): Promise<DeadLetter> {
  requireWorkspace(caller, workspaceid);
  const letter = await readLetter({ orgid: caller.orgid, workspaceid }, id);
  if (!letter || letter.dismissed_at !== undefined) throw letterNotFound(id);
  await requireUnendedRun(letter.id, Date.parse(at));
  const preview = await decryptPreview(letter);
  return toWireLetter(await redrive(letter, at), preview);
}

/** A message without a run gets one when it is received again. */
async function requireUnendedRun(id: string, now: number): Promise<void> {
  const ended = await findEnd(id, now);
  if (ended === undefined) return;
  const detail = `The run ${id} is ${ended} and cannot be run again; start another run, or send the event under another name.`;
  throw new ServiceError('run_over', { detail });
}

/** The status with which the run of a message has ended. */
async function findEnd(id: string, now: number): Promise<RunStatus | undefined> {
  const found = await readRun(id);
  const run = found && (await endIfAbandoned(found, now));
  return run && isFinal(run.status) ? run.status : undefined;
}

/** For groups: a letter that is in the queue already, or whose run has ended, stays as it is. */
export async function redriveIfPossible(letter: StoredDeadLetter, at: string): Promise<boolean> {
  if (letter.redriven_at !== undefined || (await findEnd(letter.id, Date.parse(at))) !== undefined)
    return false;
  await redrive(letter, at);
  return true;
}

/** The message is sent first and the letter marked afterwards, so a letter that is marked has been sent. */
export async function redrive(letter: StoredDeadLetter, at: string): Promise<StoredDeadLetter> {
  await putBack(await decryptBody(letter));
  await markRedriven(letter, at);
  return { ...letter, redriven_at: at };
}
