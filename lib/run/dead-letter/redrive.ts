// Gives a dead letter another try. Sent first and marked afterwards: a letter that is marked was sent.
import { promisify } from 'node:util';
import { zstdDecompress } from 'node:zlib';
import { putBack } from '../queue.ts';
import type { StoredDeadLetter } from './dead-letter.ts';
import { markRedriven } from './store.ts';

const decompress = promisify(zstdDecompress);
/** SQS takes no more. */
const bodyBytesMax = 1024 ** 2;

export async function redrive(letter: StoredDeadLetter, at: string): Promise<StoredDeadLetter> {
  await putBack(await bodyOf(letter));
  await markRedriven(letter, at);
  return { ...letter, redriven_at: at };
}

export async function bodyOf({ body }: Pick<StoredDeadLetter, 'body'>): Promise<string> {
  return (await decompress(body, { maxOutputLength: bodyBytesMax })).toString();
}
