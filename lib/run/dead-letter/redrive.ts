// Gives a dead letter another try. Sent first and marked afterwards: a letter that is marked was sent.
import { putBack } from '../queue.ts';
import type { StoredDeadLetter } from './dead-letter.ts';
import { bodyOf } from './encrypted-letter.ts';
import { markRedriven } from './store.ts';

export async function redrive(letter: StoredDeadLetter, at: string): Promise<StoredDeadLetter> {
  await putBack(await bodyOf(letter));
  await markRedriven(letter, at);
  return { ...letter, redriven_at: at };
}
