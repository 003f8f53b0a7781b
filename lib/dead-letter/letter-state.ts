// The state of an event that was accepted but could not be run. It has no run until it is redriven.
import type { WorkspaceScope } from '#lib/ids.ts';
import { reasonNotRun } from '#lib/run/dead-letter.ts';
import { readLetter } from '#lib/run/dead-letter-items.ts';
import { failedOutside } from '#lib/run/failure.ts';
import type { RunState } from '#lib/run/result.ts';
import { newState } from '#lib/run/state.ts';

/** Undefined if there is no such event. One read. */
export async function readLetterState(scope: WorkspaceScope, id: string): Promise<RunState | undefined> {
  const letter = await readLetter(scope, id);
  if (letter?.workflow_id === undefined) return undefined;
  const reason = reasonNotRun(letter);
  return reason === undefined
    ? newState(id)
    : { ...newState(id), ...failedOutside('run.not_started', reason) };
}
