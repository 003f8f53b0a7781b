// Forgets what the local service keeps, and nothing else: its home may be a folder that holds a person's files too.
import { existsSync, readdirSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Home } from './home.ts';
import { lockFile, tryLock } from './lock.ts';

/** What SQLite keeps beside a database. */
const database = (file: string) => ['', '-wal', '-shm', '-journal'].map((end) => `${file}${end}`);

/** All that is ever written into the folder `data`; a test starts, resets and finds nothing. */
const dataFiles = [
  'aws.env',
  ...database(join('dynamodb', 'dynamodb.sqlite')),
  ...database(join('dynamodb', 'shared-local-instance.db')),
  ...database(join('sqs', 'fauxqs.db')),
  ...['keys.json', 'keys.json.new'].map((name) => join('kms', name)),
];
const dataFolders = ['dynamodb', 'sqs', 'kms'];

/** Says what it did. Refuses where a service runs, and where none ever did. */
export function reset(home: Home): string {
  if (isEmpty(home.folder)) return `There is nothing in ${home.folder} to forget.`;
  if (!existsSync(lockFile(home.data)))
    throw new Error(`${home.folder} is no home of the local service, so nothing in it is deleted.`);
  const unlock = tryLock(home.data);
  if (!unlock) throw new Error(`A service runs on ${home.folder}: stop it first.`);
  deleteAll(home, unlock);
  const what = existsSync(home.folder) ? `What the service kept in ${home.folder}` : home.folder;
  return `${what} is gone; the next npm start seeds anew.`;
}

/** Files by name only, folders only when empty. The lock last: as long as it is there, what was cut short can be done again. */
function deleteAll({ folder, data, ...files }: Home, unlock: () => void): void {
  for (const file of Object.values(files)) rmSync(file, { force: true });
  for (const name of dataFiles) rmSync(join(data, name), { force: true });
  unlock();
  for (const file of database(lockFile(data))) rmSync(file, { force: true });
  for (const each of [...dataFolders.map((name) => join(data, name)), data, folder])
    if (isEmpty(each) && existsSync(each)) rmdirSync(each);
}

const isEmpty = (folder: string): boolean => !existsSync(folder) || readdirSync(folder).length === 0;
