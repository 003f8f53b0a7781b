// Keeps two hosts from one data folder. SQLite holds the lock, because the system drops it with the process, however it ends:
// a file with a process id would stay behind and later name somebody else.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

export function lockFolder(folder: string): () => void {
  mkdirSync(folder, { recursive: true });
  const database = new DatabaseSync(join(folder, 'lock.sqlite'));
  try {
    database.exec('BEGIN EXCLUSIVE');
  } catch (cause) {
    database.close();
    throw new Error(
      `${folder} is in use by another local host: stop it, or choose another folder with AGENT_FLOW_HOME.`,
      {
        cause,
      },
    );
  }
  return () => database.close();
}
