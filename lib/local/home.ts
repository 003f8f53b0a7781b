// The home of the local service: the folder that AGENT_FLOW_HOME names, and what is called how in it.
import { accessSync, constants, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import * as z from 'zod';

export interface Home {
  readonly folder: string;
  /** Where the engines keep their files. */
  readonly data: string;
  readonly apiKey: string;
  /** While the service runs: where it is. */
  readonly ready: string;
  /** While the service runs: what the functions see, for those who run one elsewhere (docs/sam.md). */
  readonly environment: string;
  /** Where the service and its sample shop were when they ran last, which is what builds name. */
  readonly addresses: string;
}

export function homeOf(given = process.env.AGENT_FLOW_HOME): Home {
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

/** Makes the folders, so that a home that cannot be one is known before anything starts. */
export function openHome({ folder, data }: Home): void {
  try {
    makeFolder(data);
    for (const each of [folder, data]) accessSync(each, constants.W_OK);
  } catch (cause) {
    throw new Error(
      `${folder} cannot be the home of the service: ${reasonOf(cause)}. Choose another folder with AGENT_FLOW_HOME.`,
      { cause },
    );
  }
}

/** Not by Node's `recursive`, which never ends where a folder is there and takes no other, such as `/proc`. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  try {
    mkdirSync(folder);
  } catch (error) {
    // Another start may have been faster.
    if (!existsSync(folder)) throw error;
  }
}

const reasons = new Map([
  ['EACCES', 'you may not write there'],
  ['EPERM', 'you may not write there'],
  ['EROFS', 'it is on a read-only file system'],
  ['EEXIST', 'a file is in the way'],
  ['ENOTDIR', 'a file is in the way'],
  ['ENOENT', 'no folder can be made there'],
  ['ENOSPC', 'the disk is full'],
]);

function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return reasons.get(code) ?? String(error);
}

const addresses = z.object({ baseUrl: z.url(), ordersUrl: z.url() });
export type Addresses = Readonly<z.infer<typeof addresses>>;

/** Undefined before the first start. */
export const readAddresses = (home: Home): Addresses | undefined => read(home.addresses, addresses);

const ready = z.object({
  baseUrl: z.url(),
  orgid: z.string(),
  workspaceid: z.string(),
  flowid: z.string(),
  apiKey: z.string(),
  /** Of the build that was live at the start. */
  registryId: z.string(),
  pid: z.int(),
});
export type Ready = Readonly<z.infer<typeof ready>>;

/** Undefined while no service runs. One that crashed leaves it behind. */
export const readReady = (home: Home): Ready | undefined => read(home.ready, ready);

/** A file that cannot be read is worth no more than none. */
function read<T>(file: string, schema: z.ZodType<T>): T | undefined {
  try {
    return schema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return undefined;
  }
}
