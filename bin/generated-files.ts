// Writes files that are generated from the code, or with `--check` only lists those that are not up to date.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

/** `files` maps paths, relative to the project, to texts; `command` is the command that writes them. */
export function writeOrCheck(files: Readonly<Record<string, string>>, command: string): void {
  const outdated = Object.entries(files).filter(([path, text]) => read(path) !== text);
  if (!process.argv.includes('--check')) {
    for (const [path, text] of outdated) {
      writeFileSync(toUrl(path), text);
      console.log(`${path} written`);
    }
    console.log(`${Object.keys(files).length} files are up to date`);
    return;
  }
  for (const [path] of outdated)
    console.error(`${path} is not up to date: run \`${command}\` and commit the result.`);
  if (outdated.length > 0) process.exitCode = 1;
  else console.log(`${Object.keys(files).length} files are up to date`);
}

const toUrl = (path: string): URL => new URL(`../${path}`, import.meta.url);
const read = (path: string): string | undefined =>
  existsSync(toUrl(path)) ? readFileSync(toUrl(path), 'utf8') : undefined;
