// A run of the caller's own workspace, or the one answer for missing and foreign alike.
import { type Caller, mayUseWorkspace, requireWorkspace } from '#lib/access/caller.ts';
import { ServiceError } from '#lib/errors.ts';
import { reasonNotRun, type StoredDeadLetter } from '#lib/run/dead-letter.ts';
import { findLetter, readLetter } from '#lib/run/dead-letter-items.ts';
import { withConfigurationLinks } from './configuration-link.ts';
import { type RunWithEvents, readRunWithEvents } from './read-run.ts';
import { readRun } from './run-items.ts';
import { type RunView, viewRun } from './state.ts';
import type { StoredRun } from './stored-run.ts';

export async function ownRun(caller: Caller, workspaceid: string, id: string, now: number): Promise<RunView> {
  const found = await findOwnRun(caller, workspaceid, id, now);
  if (found) return found;
  throw whyMissing(await readLetter({ orgid: caller.orgid, workspaceid }, id));
}

export async function findOwnRun(
  caller: Caller,
  workspaceid: string,
  id: string,
  now: number,
): Promise<RunView | undefined> {
  requireWorkspace(caller, workspaceid);
  const isOwn = (run: StoredRun) => run.orgid === caller.orgid && run.workspaceid === workspaceid;
  const found = await readRunWithEvents(id, isOwn);
  return found && (await view(found, caller, now));
}

/** For addresses that name no workspace. */
export async function ownRunById(caller: Caller, id: string, now: number): Promise<RunView> {
  const found = await readRunWithEvents(id, (run) => mayRead(caller, run));
  if (found) return await view(found, caller, now);
  throw await whyMissingById(caller, id);
}

/** The header alone, as it is stored. */
export async function ownHeaderById(caller: Caller, id: string): Promise<StoredRun> {
  const run = await readRun(id);
  if (run && mayRead(caller, run)) return run;
  throw await whyMissingById(caller, id);
}

const mayRead = (caller: Caller, { orgid, workspaceid }: StoredRun): boolean =>
  orgid === caller.orgid && mayUseWorkspace(caller, workspaceid);

const view = async ({ run, events }: RunWithEvents, caller: Caller, now: number): Promise<RunView> =>
  viewRun(run, await withConfigurationLinks(run, events, caller, now));

async function whyMissingById(caller: Caller, id: string): Promise<ServiceError> {
  const letter = await findLetter(caller.orgid, id);
  return whyMissing(letter && mayUseWorkspace(caller, letter.workspaceid) ? letter : undefined);
}

/** An event that could not be run gets no run until somebody redrives it, so asking again would not help. */
function whyMissing(letter: StoredDeadLetter | undefined): ServiceError {
  const reason = letter && reasonNotRun(letter);
  if (reason === undefined) return runNotFound();
  const next =
    letter?.dismissed_at === undefined ? 'Once it is redriven, its run has this id.' : 'It was dismissed.';
  const detail = `The event is a dead letter and has no run: ${reason} ${next}`;
  return new ServiceError('event_not_run', { detail });
}

export const runNotFound = () =>
  new ServiceError('run_not_found', {
    detail:
      'There is no such run. An event that was accepted has none until it is begun: ask again in a moment.',
  });
