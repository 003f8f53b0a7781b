// Access tokens in the memory of this process: kept until shortly before they expire, and asked for once however many requests want one.
import { NodeError } from '#lib/flow/node-error.ts';
import type { Secret } from '#lib/secret.ts';
import type { OauthClient, OauthUser } from '../credential.ts';
import type { GuardedFetch } from '../guarded-fetch.ts';
import type { OpenConnection } from '../vault/find.ts';
import { requestTokens, type Tokens } from './token-endpoint.ts';
import type { TokenMemory } from './token-memory.ts';

export interface TokenSource {
  /** `rejected` is a token that a host has refused: it is not given again. */
  readonly token: (rejected?: Secret) => Promise<Secret>;
}

/** A token that ends sooner may end on the way; one that lives no longer than that is used for half of its life. */
const marginMs = 60_000;

export function clientTokens(
  memory: TokenMemory,
  fetch: GuardedFetch,
  named: { readonly name: string; readonly id: string },
  client: OauthClient,
): TokenSource {
  const request = { name: named.name, client, grant: { grant_type: 'client_credentials' } };
  const ask = () => requestTokens(fetch, { ...request, scopes: client.scopes }, memory.now);
  return { token: (rejected) => tokenOf(memory, named.id, ask, rejected) };
}

/** Starts with the tokens that were stored, and stores those it gets, because a refresh token may be good only once. */
export function userTokens(
  memory: TokenMemory,
  fetch: GuardedFetch,
  named: { readonly name: string } & Pick<OpenConnection, 'id' | 'renew'>,
  user: OauthUser,
): TokenSource {
  const { id, name } = named;
  const { access_token, expires_at } = user;
  if (access_token && expires_at !== undefined && !memory.held.has(id)) {
    const stored = { accessToken: access_token, expiresAt: Date.parse(expires_at), refreshToken: undefined };
    keep(memory, id, stored);
  }
  const ask = async () => {
    const last = memory.held.get(id)?.tokens.refreshToken ?? user.refresh_token;
    const grant = { grant_type: 'refresh_token', refresh_token: last.reveal() };
    const got = await requestTokens(fetch, { name, client: user, grant, scopes: user.scopes }, memory.now);
    const tokens = { ...got, refreshToken: got.refreshToken ?? last };
    await named.renew({
      ...user,
      access_token: tokens.accessToken,
      refresh_token: tokens.refreshToken,
      expires_at: new Date(tokens.expiresAt).toISOString(),
    });
    return tokens;
  };
  return { token: (rejected) => tokenOf(memory, id, ask, rejected) };
}

async function tokenOf(
  memory: TokenMemory,
  id: string,
  ask: () => Promise<Tokens>,
  rejected: Secret | undefined,
): Promise<Secret> {
  const known = memory.held.get(id);
  const isGood = known && known.until > memory.now() && !isSame(known.tokens.accessToken, rejected);
  if (isGood) return known.tokens.accessToken;
  const pending = memory.pending.get(id) ?? start(memory, id, ask);
  const { accessToken } = await pending;
  if (!isSame(accessToken, rejected)) return accessToken;
  throw new NodeError('connection.refused', 'The token endpoint gives the token again that was refused.');
}

function start(memory: TokenMemory, id: string, ask: () => Promise<Tokens>): Promise<Tokens> {
  const pending = ask()
    .then((tokens) => {
      keep(memory, id, tokens);
      return tokens;
    })
    .finally(() => memory.pending.delete(id));
  memory.pending.set(id, pending);
  return pending;
}

function keep({ held, now }: TokenMemory, id: string, tokens: Tokens): void {
  const lifetime = tokens.expiresAt - now();
  held.set(id, { tokens, until: tokens.expiresAt - Math.min(marginMs, lifetime / 2) });
}

const isSame = (token: Secret, other: Secret | undefined) => other?.reveal() === token.reveal();
