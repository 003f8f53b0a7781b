// The state of an event that was accepted and has no run yet, because it could not be run: nobody goes on with it until it is redriven.

import { whyNotRun } from '#lib/run/dead-letter.ts';
import { readLetter } from '#lib/run/dead-letter-items.ts';
import type { LetterPlace } from '#lib/run/dead-letter-keys.ts';
import type { RunState } from '#lib/run/result.ts';
import { newState } from '#lib/run/state.ts';

/** Undefined where there is no such event. One read. */
export async function stateOfLetter(place: LetterPlace, id: string): Promise<RunState | undefined> {
  const letter = await readLetter(place, id);
  if (letter?.workflow_id === undefined) return undefined;
  const reason = whyNotRun(letter);
  return reason === undefined ? newState(id) : { ...newState(id), status: 'failed', error: reason };
}
