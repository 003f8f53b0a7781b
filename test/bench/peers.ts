// Installs the software that the bench compares us with. It has a package and a lock file of its own, so that
// `npm ci` of the project does not install it.
import { execFile } from 'node:child_process';
import { statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const folder = fileURLToPath(new URL('peers', import.meta.url));

export async function installPeers(): Promise<void> {
  if (writtenAt('node_modules/.package-lock.json') >= writtenAt('package-lock.json')) return;
  console.error('Installing the peers…');
  await promisify(execFile)('npm', ['ci', '--prefix', folder, '--no-audit', '--no-fund'], {
    timeout: 300_000,
  });
}

/** Ms since 1970, 0 for a file that is not there. */
const writtenAt = (file: string) => statSync(`${folder}/${file}`, { throwIfNoEntry: false })?.mtimeMs ?? 0;
