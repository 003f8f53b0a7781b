// Prevents two hosts from using one data folder. SQLite holds the lock, because the system releases it when
// the process ends. A file with a process id would remain and later name another process.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** https://www.sqlite.org/rescode.html#busy */
const sqliteBusy = 5;

export function lockFolder(folder: string): () => void {
  mkdirSync(folder, { recursive: true });
  const unlock = tryLock(folder);
  if (unlock) return unlock;
  throw new Error(
    `${folder} is in use by another local host: stop it, or choose another folder with AGENT_FLOW_HOME.`,
  );
}

/** Undefined while another process holds the folder. */
export function tryLock(folder: string): (() => void) | undefined {
  const file = lockFile(folder);
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file);
    database.exec('BEGIN EXCLUSIVE');
    return database.close.bind(database);
  } catch (cause) {
    database?.close();
    if (cause instanceof Error && 'errcode' in cause && cause.errcode === sqliteBusy) return undefined;
    throw new Error(`${file} is not a lock file of the local host: delete it.`, { cause });
  }
}

/** Exists from the first start of a host in the folder. */
export const lockFile = (folder: string): string => join(folder, 'lock.sqlite');
