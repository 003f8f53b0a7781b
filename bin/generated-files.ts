// Writes files that are generated from the code, or with `--check` only says which of them are not up to date.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

/** `files` holds texts by their paths from the root of the project; `command` is the one that writes them. */
export function writeOrCheck(files: Readonly<Record<string, string>>, command: string): void {
  const outdated = Object.entries(files).filter(([path, text]) => read(path) !== text);
  if (!process.argv.includes('--check')) {
    for (const [path, text] of outdated) {
      writeFileSync(urlOf(path), text);
      console.log(`${path} written`);
    }
    console.log(`${Object.keys(files).length} files are up to date`);
    return;
  }
  for (const [path] of outdated)
    console.error(`${path} is not what the code says: run \`${command}\` and commit the result.`);
  if (outdated.length > 0) process.exitCode = 1;
  else console.log(`${Object.keys(files).length} files are up to date`);
}

const urlOf = (path: string): URL => new URL(`../${path}`, import.meta.url);
const read = (path: string): string | undefined =>
  existsSync(urlOf(path)) ? readFileSync(urlOf(path), 'utf8') : undefined;
