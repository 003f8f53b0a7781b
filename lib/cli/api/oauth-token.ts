// The access token of a profile, refreshed before it expires. A refresh token works once: of several commands at the same
// time one refreshes, and the others wait for what it stores.
import { mkdir, open, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { processRefreshTokenResponse, refreshTokenGrantRequest } from 'oauth4webapi';
import { CommandFailure } from '../command-failure.ts';
import { exitCodes } from '../exit-codes.ts';
import { programName } from '../program-name.ts';
import { discover, noSecret, publicClient, requestOptions } from './authorization-server.ts';
import { type OAuthSignIn, profilesPath, readProfiles, saveProfile } from './profiles.ts';

/** Longer than a request takes to arrive. */
const reserveMs = 60_000;

export async function freshToken(name: string, env: NodeJS.ProcessEnv): Promise<string> {
  const known = await readSignIn(name, env);
  if (isFresh(known)) return known.accessToken;
  return await withLock(`${profilesPath(env)}.lock`, async () => {
    const now = await readSignIn(name, env);
    return isFresh(now) ? now.accessToken : await refresh(name, now, env);
  });
}

const isFresh = ({ expiresAt }: OAuthSignIn): boolean => expiresAt - reserveMs > Date.now();

async function readSignIn(name: string, env: NodeJS.ProcessEnv): Promise<OAuthSignIn> {
  const { profiles } = await readProfiles(env);
  const oauth = profiles[name]?.oauth;
  if (oauth) return oauth;
  throw mustSignIn(name);
}

const mustSignIn = (name: string): CommandFailure =>
  new CommandFailure(`You are no longer signed in to the profile "${name}".`, {
    exitCode: exitCodes.credentials,
    lines: [`\`${programName()} login\` signs you in again.`],
  });

async function refresh(name: string, known: OAuthSignIn, env: NodeJS.ProcessEnv): Promise<string> {
  const { clientId, issuer, refreshToken } = known;
  if (refreshToken === undefined) throw mustSignIn(name);
  const server = await discover(issuer);
  const client = publicClient(clientId);
  const { profiles } = await readProfiles(env);
  const profile = profiles[name];
  if (!profile) throw mustSignIn(name);
  const response = await refreshTokenGrantRequest(server, client, noSecret, refreshToken, {
    ...requestOptions,
    additionalParameters: { resource: profile.url },
  });
  const tokens = await processRefreshTokenResponse(server, client, response).catch(() => {
    throw mustSignIn(name);
  });
  const oauth = {
    ...known,
    accessToken: tokens.access_token,
    expiresAt: Date.now() + (tokens.expires_in ?? 0) * 1_000,
    refreshToken: tokens.refresh_token ?? refreshToken,
  };
  await saveProfile(env, name, { ...profile, oauth }, false);
  return tokens.access_token;
}

/** A process that dies leaves the file behind; after this time it is taken over. */
const lockMs = 30_000;

async function withLock<T>(path: string, act: () => Promise<T>): Promise<T> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  for (;;) {
    const file = await open(path, 'wx').catch(() => undefined);
    if (file) {
      await file.close();
      break;
    }
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Date.now() }));
    if (Date.now() - mtimeMs > lockMs) await rm(path, { force: true });
    else await setTimeout(100);
  }
  try {
    return await act();
  } finally {
    await rm(path, { force: true });
  }
}
