// Gives a dead letter another try. Sent first and marked afterwards: a letter that is marked was sent.

import type { StoredDeadLetter } from '#lib/run/dead-letter.ts';
import { markRedriven } from '#lib/run/dead-letter-items.ts';
import { putBack } from '#lib/run/run-queue.ts';
import { bodyOf } from './encrypted-letter.ts';

export async function redrive(letter: StoredDeadLetter, at: string): Promise<StoredDeadLetter> {
  await putBack(await bodyOf(letter));
  await markRedriven(letter, at);
  return { ...letter, redriven_at: at };
}
