// The `state` of an authorization request. It says for which link and connection it is, and is a MAC over that and over
// a cookie of the browser, so that only the browser that began can end it, and nothing is stored in between. The
// code verifier of PKCE is derived in the same way.
import { randomBytes } from 'node:crypto';
import * as z from 'zod';
import { requireEnv } from '#lib/env.ts';
import { isEqual, type LinkClaims, type LinkedRun, macForRun } from '#lib/run/configuration-link.ts';

/** People sign in, and look for their second factor, in this time. */
const lifetimeSeconds = 10 * 60;

const stateContent = z.strictObject({
  task: z.uuid(),
  connection: z.string(),
  /** Seconds since 1970. */
  until: z.number(),
  expiresAt: z.number(),
  isForWorkspace: z.boolean(),
  nonce: z.string(),
});
export type StateContent = z.infer<typeof stateContent>;

interface Begun {
  readonly state: string;
  readonly verifier: string;
}

export async function makeState(
  run: LinkedRun,
  claims: LinkClaims,
  connection: string,
  { browser, nowMs }: { readonly browser: string; readonly nowMs: number },
): Promise<Begun> {
  const until = Math.floor(nowMs / 1_000) + lifetimeSeconds;
  const { expiresAt, isForWorkspace, nonce } = claims;
  const content: StateContent = { task: run.run_id, connection, until, expiresAt, isForWorkspace, nonce };
  const text = Buffer.from(JSON.stringify(content)).toString('base64url');
  const state = `${text}.${await macForRun(run, 'state', `${text}.${browser}`)}`;
  return { state, verifier: await deriveVerifier(run, state, browser) };
}

/** Not verified yet. Undefined for what no state can be. */
export function parseState(state: string): StateContent | undefined {
  try {
    const text = state.split('.')[0] ?? '';
    return stateContent.safeParse(JSON.parse(Buffer.from(text, 'base64url').toString())).data;
  } catch {
    return undefined;
  }
}

export async function isStateOf(run: LinkedRun, state: string, browser: string): Promise<boolean> {
  const [text = '', mac = ''] = state.split('.');
  return isEqual(mac, await macForRun(run, 'state', `${text}.${browser}`));
}

/** 43 characters, the least that RFC 7636 §4.1 allows. */
export const deriveVerifier = async (run: LinkedRun, state: string, browser: string): Promise<string> =>
  await macForRun(run, 'verifier', `${state}.${browser}`);

/** Browsers accept the prefix only over https; Safari refuses it even on loopback. */
const cookieName = () => (isHttps() ? '__Host-agent-config' : 'agent-config');
const isHttps = () => requireEnv('GATEWAY_URL').startsWith('https:');

/** What distinguishes this browser: its cookie. Undefined for one that has none. */
export function readBrowser(cookies: string | undefined): string | undefined {
  const pairs = (cookies ?? '').split(/[;,]/).map((pair) => pair.trim().split('='));
  const value = pairs.find(([name]) => name === cookieName())?.[1];
  return value !== undefined && /^[\w-]{43}$/.test(value) ? value : undefined;
}

export const newBrowser = (): string => randomBytes(32).toString('base64url');

/** `Lax`: the answer of the server is a navigation from another site. */
export const browserCookie = (browser: string): string =>
  `${cookieName()}=${browser}; Path=/; HttpOnly; SameSite=Lax; Max-Age=1200${isHttps() ? '; Secure' : ''}`;
