// The profiles of a user: services with their credentials, in a file that only the user can read. Keys are never printed.
import { readFile, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { CommandFailure } from '../command-failure.ts';

const profile = z.strictObject({
  url: z.string(),
  workspace: z.string().optional(),
  key: z.string(),
});
export type Profile = Readonly<z.infer<typeof profile>>;

const profilesFile = z.strictObject({
  current: z.string().optional(),
  profiles: z.record(z.string(), profile).default({}),
});
type Profiles = Readonly<z.infer<typeof profilesFile>>;

function profilesPath(env: NodeJS.ProcessEnv): string {
  const fallback = process.platform === 'win32' ? env.APPDATA : undefined;
  const folder = env.XDG_CONFIG_HOME || fallback || join(homedir(), '.config');
  return join(folder, 'agent-flow', 'profiles.json');
}

export async function readProfiles(env: NodeJS.ProcessEnv): Promise<Profiles> {
  const path = profilesPath(env);
  const state = await stat(path).catch(() => undefined);
  if (!state) return { profiles: {} };
  if (process.platform !== 'win32' && (state.mode & 0o077) !== 0)
    throw new CommandFailure(`Others can read ${path}, which has keys. \`chmod 600 ${path}\` changes that.`);
  const read = profilesFile.safeParse(parse(await readFile(path, 'utf8')));
  if (read.success) return read.data;
  throw new CommandFailure(`${path} has no profiles in a form that is known. Remove it, and log in again.`);
}

/** The text has keys, so the error of the parser is dropped. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
