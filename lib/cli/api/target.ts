// Which service a command works with, and with which credentials: those of the option --profile, of the environment, of
// the profile in use, or of the `npm start` that runs in this folder, in this order.
import { decodeJwt } from 'jose';
import { readReady, resolveHome } from '#lib/local/home.ts';
import { type Secret, secret } from '#lib/secret.ts';
import { CommandFailure, wrongUsage } from '../command-failure.ts';
import { exitCodes } from '../exit-codes.ts';
import { programName } from '../program-name.ts';
import { type Profile, readProfiles } from './profiles.ts';

export interface Target {
  /** Without a slash at the end. */
  readonly url: string;
  /** Where it was named, such as `the profile "shop"`. */
  readonly source: string;
  /** Undefined if nothing names one. */
  readonly workspace: string | undefined;
  /** An API key or an access token. Only requests to `url` may carry it. */
  readonly authorize: () => Promise<Secret>;
}

export interface TargetOptions {
  readonly profile?: string;
  readonly workspace?: string;
}

/** The name of the profile that `npm start` has without being stored. */
const localProfile = 'local';

export async function findTarget(
  options: TargetOptions,
  env: NodeJS.ProcessEnv = process.env,
): Promise<Target> {
  const target = await choose(options.profile, env);
  const workspace = options.workspace ?? env.AGENT_FLOW_WORKSPACE ?? target.workspace;
  return { ...target, url: checkUrl(target.url, target.source), workspace };
}

async function choose(name: string | undefined, env: NodeJS.ProcessEnv): Promise<Target> {
  if (name !== undefined) return await namedTarget(name, env);
  const { AGENT_FLOW_URL: url, AGENT_FLOW_KEY: key, AGENT_FLOW_PROFILE: profile } = env;
  if (url && key) return keyTarget(url, key, 'the environment');
  if (url || key)
    throw wrongUsage(
      'AGENT_FLOW_URL and AGENT_FLOW_KEY need each other: a key is only sent to its own service.',
    );
  if (profile) return await namedTarget(profile, env);
  const { current } = await readProfiles(env);
  if (current !== undefined) return await namedTarget(current, env);
  const local = localTarget(env);
  if (local) return local;
  throw new CommandFailure('There is no service to work with.', {
    exitCode: exitCodes.credentials,
    lines: [
      `Start one here with \`npm start\`, or run \`${programName()} login <url>\`, or set AGENT_FLOW_URL and AGENT_FLOW_KEY.`,
    ],
  });
}

async function namedTarget(name: string, env: NodeJS.ProcessEnv): Promise<Target> {
  const { profiles } = await readProfiles(env);
  const profile = profiles[name];
  if (profile) return profileTarget(name, profile, env);
  const local = name === localProfile ? localTarget(env) : undefined;
  if (local) return local;
  const names = Object.keys(profiles).join(', ') || 'there is none yet';
  throw wrongUsage(
    name === localProfile
      ? 'No `npm start` runs with the data of this folder.'
      : `There is no profile "${name}": expected one of these, ${names}.`,
  );
}

function profileTarget(name: string, profile: Profile, env: NodeJS.ProcessEnv): Target {
  const source = `the profile "${name}"`;
  const { url, key, workspace } = profile;
  if (key !== undefined)
    return { ...keyTarget(url, key, source), ...(workspace !== undefined && { workspace }) };
  return {
    ...{ url, source, workspace },
    authorize: async () => {
      const { freshToken } = await import('./oauth-token.ts');
      return secret(await freshToken(name, env));
    },
  };
}

/** `npm start` leaves its address behind; one that has crashed is answered by nobody. */
function localTarget(env: NodeJS.ProcessEnv): Target | undefined {
  const ready = readReady(resolveHome(env.AGENT_FLOW_HOME));
  if (!ready || !isLoopback(new URL(ready.baseUrl))) return undefined;
  return { ...keyTarget(ready.baseUrl, ready.apiKey, 'the local service'), workspace: ready.workspaceid };
}

const keyTarget = (url: string, key: string, source: string): Target => ({
  url,
  source,
  workspace: onlyWorkspace(key),
  authorize: async () => secret(key),
});

/** A key for one workspace says which. The service checks the key. */
function onlyWorkspace(key: string): string | undefined {
  try {
    const { ws } = decodeJwt<{ readonly ws?: unknown }>(key);
    return Array.isArray(ws) && ws.length === 1 ? String(ws[0]) : undefined;
  } catch {
    return undefined;
  }
}

export function checkUrl(given: string, source: string): string {
  const url = URL.parse(given);
  const isPlain = url && !url.username && !url.password && !url.search && !url.hash;
  if (!isPlain || !/^https?:$/.test(url.protocol))
    throw wrongUsage(
      `The URL of ${source} is not that of a service: expected one such as https://api.example.com.`,
    );
  if (url.protocol === 'http:' && !isLoopback(url))
    throw wrongUsage(`The URL of ${source} must begin with https, because a key is sent to it.`);
  return url.href.replace(/\/+$/, '');
}

const isLoopback = ({ hostname }: URL): boolean => /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);

/** For operations of one workspace. */
export function requireWorkspace({ workspace, source }: Target): string {
  if (workspace !== undefined) return workspace;
  throw wrongUsage(`${source} names no workspace: add --workspace <id>, or set AGENT_FLOW_WORKSPACE.`);
}
