// Writes the result of a command to a file, or to stdout.
import { writeFile } from 'node:fs/promises';
import { fileFailure } from './file-failure.ts';

export async function writeResult(text: string, out: string | undefined): Promise<void> {
  if (out === undefined) process.stdout.write(text);
  else await writeNamedFile(out, text);
}

/** For a file whose path somebody typed. */
export async function writeNamedFile(file: string, text: string): Promise<void> {
  await writeFile(file, text).catch((error: unknown) => {
    throw fileFailure(file, 'written', error);
  });
}
