// Starts a server of the folder `servers` in a process of its own.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import * as z from 'zod';

export interface ServerProcess {
  /** Without a slash at the end. */
  readonly url: string;
  readonly host: string;
  readonly stop: () => void;
}

export async function startServer(name: string): Promise<ServerProcess> {
  const file = new URL(`servers/${name}.ts`, import.meta.url).pathname;
  const child = fork(file, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const [url] = z.tuple([z.string()]).parse((await once(child, 'message')).slice(0, 1));
  return { url, host: new URL(url).host, stop: () => child.disconnect() };
}
