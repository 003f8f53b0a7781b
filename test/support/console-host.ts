// Starts the service in processes of its own, with the files of the console.
import { rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { buildConsole } from '#lib/infra/bundle-console.ts';
import { forkHost, type Service } from './forked-host.ts';

export interface StartedHosts {
  readonly services: readonly Service[];
  readonly stop: () => Promise<void>;
}

/** Each is a service of its own. Hosts that this process starts later serve the same files. */
export async function forkHostsWithConsole(
  count: number,
  options: Parameters<typeof forkHost>[0] = {},
): Promise<StartedHosts> {
  const folder = await buildConsoleForHosts();
  const hosts = await Promise.all(Array.from({ length: count }, () => forkHost(options)));
  const stop = async () => {
    await Promise.all(hosts.map((host) => host.stop()));
    await rm(folder, { recursive: true, force: true });
  };
  return { services: hosts.map(({ service }) => service), stop };
}

async function buildConsoleForHosts(): Promise<string> {
  const folder = fileURLToPath(new URL(`../../node_modules/.cache/console-${process.pid}`, import.meta.url));
  await buildConsole(folder, { isCompressed: false });
  process.env.CONSOLE_FILES = folder;
  return folder;
}
