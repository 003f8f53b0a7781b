// Writes the result of a command to a file, or to stdout.
import { writeFile } from 'node:fs/promises';

export async function writeResult(text: string, out: string | undefined): Promise<void> {
  if (out === undefined) process.stdout.write(text);
  else await writeFile(out, text);
}
