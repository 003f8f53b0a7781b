// Starts the service in a process of its own, with the files of the console.
import { rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { buildConsole } from '#lib/infra/bundle-console.ts';
import { type ForkedHost, forkHost } from './forked-host.ts';

/** Hosts that this process starts later serve the same files. */
export async function forkHostWithConsole(): Promise<ForkedHost> {
  const folder = fileURLToPath(new URL(`../../node_modules/.cache/console-${process.pid}`, import.meta.url));
  await buildConsole(folder, { isCompressed: false });
  process.env.CONSOLE_FILES = folder;
  const host = await forkHost();
  const stop = async () => {
    await host.stop();
    await rm(folder, { recursive: true, force: true });
  };
  return { ...host, stop };
}
