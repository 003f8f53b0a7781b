// The profiles of a user: services with their credentials, in a file that only the user can read. Keys are never printed.
import { randomUUID } from 'node:crypto';
import { chmod, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import { CommandFailure } from '../command-failure.ts';

const oauth = z.strictObject({
  clientId: z.string(),
  issuer: z.string(),
  accessToken: z.string(),
  /** Ms since 1970. */
  expiresAt: z.number(),
  refreshToken: z.string().optional(),
});
export type OAuthSignIn = Readonly<z.infer<typeof oauth>>;

const profile = z.strictObject({
  url: z.string(),
  workspace: z.string().optional(),
  /** An API key; or else tokens of a person. */
  key: z.string().optional(),
  oauth: oauth.optional(),
});
export type Profile = Readonly<z.infer<typeof profile>>;

const profilesFile = z.strictObject({
  current: z.string().optional(),
  profiles: z.record(z.string(), profile).default({}),
});
export type Profiles = Readonly<z.infer<typeof profilesFile>>;

export function profilesPath(env: NodeJS.ProcessEnv): string {
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
  throw new CommandFailure(
    `${path} does not have the form of a file of profiles. Remove it, and sign in again.`,
  );
}

/** The text has keys, so the error of the parser is dropped. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Other processes see the old file or the new one. */
export async function writeProfiles(env: NodeJS.ProcessEnv, profiles: Profiles): Promise<void> {
  const path = profilesPath(env);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${randomUUID()}`;
  try {
    await writeFile(draft, `${JSON.stringify(profiles, undefined, 2)}\n`, { mode: 0o600 });
    await chmod(draft, 0o600);
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

/** Stores a profile, and uses it from now on. */
export async function saveProfile(
  env: NodeJS.ProcessEnv,
  name: string,
  value: Profile,
  isUsed = true,
): Promise<void> {
  const { current, profiles } = await readProfiles(env);
  const used = isUsed ? name : current;
  await writeProfiles(env, {
    ...(used !== undefined && { current: used }),
    profiles: { ...profiles, [name]: value },
  });
}
