// The state of an event that was accepted and has no run yet, because it could not be run: nobody goes on with it until it is redriven.
import type { RunState } from '../result.ts';
import { newState } from '../state.ts';
import { whyNotRun } from './dead-letter.ts';
import type { LetterPlace } from './keys.ts';
import { readLetter } from './store.ts';

/** Undefined where there is no such event. One read. */
export async function stateOfLetter(place: LetterPlace, id: string): Promise<RunState | undefined> {
  const letter = await readLetter(place, id);
  if (letter?.workflow_id === undefined) return undefined;
  const reason = whyNotRun(letter);
  return reason === undefined ? newState(id) : { ...newState(id), status: 'failed', error: reason };
}
