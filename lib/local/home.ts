// The home of the local service: the folder named by AGENT_FLOW_HOME, and its files.
import { accessSync, constants, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import * as z from 'zod';

export interface Home {
  readonly folder: string;
  /** The folder of the engines. */
  readonly data: string;
  readonly apiKey: string;
  /** Exists while the service runs: its address, process and sample data. */
  readonly ready: string;
  /** Exists while the service runs: the environment of the functions, to run one elsewhere (docs/sam.md). */
  readonly environment: string;
  /** The addresses of the service, its sample shop and its identity provider at the last start, which builds and users contain. */
  readonly addresses: string;
}

export function resolveHome(given = process.env.AGENT_FLOW_HOME): Home {
  const folder = resolve(given || '.local');
  const file = (name: string) => join(folder, name);
  return {
    folder,
    data: file('data'),
    apiKey: file('api-key'),
    ready: file('ready.json'),
    environment: file('environment.json'),
    addresses: file('addresses.json'),
  };
}

/** Creates the folders, so that a folder that cannot be used is reported before anything starts. */
export function openHome({ folder, data }: Home): void {
  try {
    makeFolder(data);
    for (const each of [folder, data]) accessSync(each, constants.W_OK);
  } catch (cause) {
    throw new Error(
      `${folder} cannot be the home of the service: ${explain(cause)}. ` +
        'Choose another folder with AGENT_FLOW_HOME.',
      { cause },
    );
  }
}

/** Not with the option `recursive` of Node, which never returns below folders such as `/proc`. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  try {
    mkdirSync(folder);
  } catch (error) {
    // Another process may have created it.
    if (!existsSync(folder)) throw error;
  }
}

const reasons = new Map([
  ['EACCES', 'it is not writable'],
  ['EPERM', 'it is not writable'],
  ['EROFS', 'it is on a read-only file system'],
  ['EEXIST', 'its path contains a file'],
  ['ENOTDIR', 'its path contains a file'],
  ['ENOENT', 'the folder cannot be created'],
  ['ENOSPC', 'the disk is full'],
]);

function explain(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return reasons.get(code) ?? String(error);
}

const addresses = z.object({ baseUrl: z.url(), ordersUrl: z.url(), issuer: z.url().optional() });
export type Addresses = Readonly<z.infer<typeof addresses>>;

/** Undefined before the first start. */
export const readAddresses = (home: Home): Addresses | undefined => read(home.addresses, addresses);

const ready = z.object({
  baseUrl: z.url(),
  orgid: z.string(),
  workspaceid: z.string(),
  flowid: z.string(),
  apiKey: z.string(),
  /** The id of the build that was live at the start. */
  registryId: z.string(),
  pid: z.int(),
});
export type Ready = Readonly<z.infer<typeof ready>>;

/** Undefined if no service runs. A service that crashed leaves the file behind. */
export const readReady = (home: Home): Ready | undefined => read(home.ready, ready);

/** A file that cannot be read is treated as missing. */
function read<T>(file: string, schema: z.ZodType<T>): T | undefined {
  try {
    return schema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return undefined;
  }
}
