// Refreshes a user's tokens in one process at a time: a refresh token may be valid only once, and a server
// that sees it twice may revoke all tokens derived from it (RFC 9700 §4.14.2). Other processes wait and use
// what the first one has stored.

import type { GuardedFetch } from '#lib/egress/guarded-fetch.ts';
import { NodeError } from '#lib/flow/format/node-error.ts';
import { fullJitterMs } from '#lib/retry.ts';
import type { Secret } from '#lib/secret.ts';
import type { OauthUser } from './credential.ts';
import type { OpenConnection } from './find.ts';
import type { RefreshLease } from './refresh-lease.ts';
import { requestTokens, type Tokens } from './token-endpoint.ts';
import type { TokenMemory } from './token-memory.ts';

interface Refresh {
  /** The name of the connection, for messages. */
  readonly name: string;
  readonly memory: TokenMemory;
  readonly fetch: GuardedFetch;
  /** The access token to replace. */
  readonly spent: Secret | undefined;
}

/** Longer than a lease, so that a process can take over from one that died. */
const waitMsMax = 40_000;
const pauses = { pauseMs: 50, pauseMsMax: 1_000 };

/** Throws `NodeError` (codes `connection.*`). */
export async function refreshedTokens(refresh: Refresh, decrypted: OpenConnection): Promise<Tokens> {
  const { name, spent, memory } = refresh;
  const { now, sleep } = memory.clock;
  const givesUpAt = now() + waitMsMax;
  let current = decrypted;
  for (let n = 0; now() < givesUpAt; n += 1) {
    if (current.isRefused) throw expired(name);
    const lease = await current.claimRefresh(now()).catch(unreadable(name));
    const fresh = lease && (await spendRefreshToken(refresh, current, lease));
    if (fresh) return fresh;
    await sleep(fullJitterMs(n, pauses));
    current = await rereadConnection(name, current, decrypted);
    const stored = storedTokens(requireUserCredential(name, current));
    if (stored && stored.expiresAt > now() && stored.accessToken.reveal() !== spent?.reveal()) return stored;
  }
  throw new NodeError('connection.unavailable', `The connection "${name}" is being refreshed elsewhere.`);
}

/** Undefined when a newer value was stored meanwhile. */
async function spendRefreshToken(
  { name, memory, fetch }: Refresh,
  current: OpenConnection,
  lease: RefreshLease,
): Promise<Tokens | undefined> {
  const user = requireUserCredential(name, current);
  const last = memory.unstored.get(current.id) ?? user.refresh_token;
  const grant = { grant_type: 'refresh_token', refresh_token: last.reveal() };
  try {
    const request = { name, client: user, grant, scopes: user.scopes };
    const tokens = await requestTokens(fetch, request, memory.clock.now);
    const refresh_token = tokens.refreshToken ?? last;
    if (!(await lease.keep(withTokens(user, tokens, refresh_token))))
      memory.unstored.set(current.id, refresh_token);
    return tokens;
  } catch (error) {
    if (!(error instanceof NodeError && error.code === 'connection.expired')) await lease.release();
    else if (!(await lease.refuse(memory.clock.now()))) return undefined;
    throw error;
  }
}

const withTokens = (user: OauthUser, tokens: Tokens, refresh_token: Secret): OauthUser => ({
  ...user,
  access_token: tokens.accessToken,
  refresh_token,
  expires_at: new Date(tokens.expiresAt).toISOString(),
});

/** A value stored during the run may be used only if it allows all hosts that the run's value allows. */
async function rereadConnection(
  name: string,
  last: OpenConnection,
  decrypted: OpenConnection,
): Promise<OpenConnection> {
  const now = await last.readAgain().catch(unreadable(name));
  if (now && decrypted.value.hosts.every((host) => now.value.hosts.includes(host))) return now;
  const what = now ? 'was stored for other hosts' : 'was deleted';
  throw new NodeError('connection.missing', `The connection "${name}" ${what} while the run used it.`);
}

function requireUserCredential(name: string, { value }: OpenConnection): OauthUser {
  if (value.type === 'oauth_user') return value.credential;
  throw new NodeError(
    'connection.missing',
    `The connection "${name}" got another type while the run used it.`,
  );
}

export const storedTokens = ({ access_token, expires_at }: OauthUser): Tokens | undefined =>
  access_token && expires_at !== undefined
    ? { accessToken: access_token, expiresAt: Date.parse(expires_at), refreshToken: undefined }
    : undefined;

const expired = (name: string) =>
  new NodeError('connection.expired', `The connection "${name}" was refused and must be stored again.`);

const unreadable = (name: string) => (cause: unknown) => {
  throw new NodeError('connection.unavailable', `The connection "${name}" cannot be read.`, { cause });
};
