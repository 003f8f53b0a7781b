// Deletes the data of the local service and nothing else, since its home may contain other files.
import { existsSync, readdirSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Home } from './home.ts';
import { lockFile, tryLock } from './lock.ts';

/** The files of a SQLite database. */
const database = (file: string) => ['', '-wal', '-shm', '-journal'].map((end) => `${file}${end}`);

/** All files that are ever written into the folder `data`; a test checks that the list is complete. */
const dataFiles = [
  'aws.env',
  ...database(join('dynamodb', 'dynamodb.sqlite')),
  ...database(join('dynamodb', 'shared-local-instance.db')),
  ...database(join('sqs', 'fauxqs.db')),
  ...['keys.json', 'keys.json.new'].map((name) => join('kms', name)),
];
const dataFolders = ['dynamodb', 'sqs', 'kms'];

/** Returns what it did. Refuses a folder in which a service runs, or in which none ever ran. */
export function reset(home: Home): string {
  if (isEmpty(home.folder)) return `${home.folder} is empty: there is nothing to delete.`;
  if (!existsSync(lockFile(home.data)))
    throw new Error(`${home.folder} is not the home of a local service, so nothing was deleted.`);
  const unlock = tryLock(home.data);
  if (!unlock) throw new Error(`A service is using ${home.folder}: stop it first.`);
  deleteAll(home, unlock);
  const what = existsSync(home.folder) ? `The data of the service in ${home.folder}` : home.folder;
  return `${what} was deleted; the next npm start creates new sample data.`;
}

/**
 * Deletes files by name, and folders only if they are empty. The lock is last, so that a reset can be
 * repeated.
 */
function deleteAll({ folder, data, ...files }: Home, unlock: () => void): void {
  for (const file of Object.values(files)) rmSync(file, { force: true });
  for (const name of dataFiles) rmSync(join(data, name), { force: true });
  unlock();
  for (const file of database(lockFile(data))) rmSync(file, { force: true });
  for (const each of [...dataFolders.map((name) => join(data, name)), data, folder])
    if (isEmpty(each) && existsSync(each)) rmdirSync(each);
}

const isEmpty = (folder: string): boolean => !existsSync(folder) || readdirSync(folder).length === 0;
