// Caches access tokens in the memory of this process until shortly before they expire. Concurrent requests
// share one token request.

import type { GuardedFetch } from '#lib/egress/guarded-fetch.ts';
import { NodeError } from '#lib/flow/format/node-error.ts';
import type { Secret } from '#lib/secret.ts';
import type { OauthClient, OauthUser } from './credential.ts';
import type { OpenConnection } from './find.ts';
import { refreshedTokens, storedTokens } from './refresh-token.ts';
import { requestTokens, type Tokens } from './token-endpoint.ts';
import type { TokenMemory } from './token-memory.ts';

export interface TokenSource {
  /** `rejected` is a token that a host has refused; it is not returned again. */
  readonly token: (rejected?: Secret) => Promise<Secret>;
}

/**
 * A token that expires sooner may expire in transit. One that lives less than twice as long is used for half
 * of its life.
 */
const marginMs = 60_000;

export function clientTokens(
  memory: TokenMemory,
  fetch: GuardedFetch,
  named: { readonly name: string; readonly id: string },
  client: OauthClient,
): TokenSource {
  const request = { name: named.name, client, grant: { grant_type: 'client_credentials' } };
  const ask = () => requestTokens(fetch, { ...request, scopes: client.scopes }, memory.clock.now);
  return { token: (rejected) => getToken(memory, named.id, ask, rejected) };
}

/** Begins with the stored tokens. */
export function userTokens(
  memory: TokenMemory,
  fetch: GuardedFetch,
  named: OpenConnection & { readonly name: string },
  user: OauthUser,
): TokenSource {
  const { id, name } = named;
  const stored = storedTokens(user);
  if (stored && !memory.held.get(id)) keep(memory, id, stored);
  const ask = () => {
    const spent = memory.held.get(id)?.tokens.accessToken;
    return refreshedTokens({ memory, fetch, name, spent }, named);
  };
  return { token: (rejected) => getToken(memory, id, ask, rejected) };
}

async function getToken(
  memory: TokenMemory,
  id: string,
  ask: () => Promise<Tokens>,
  rejected: Secret | undefined,
): Promise<Secret> {
  const known = memory.held.get(id);
  const isGood = known && known.until > memory.clock.now() && !isSame(known.tokens.accessToken, rejected);
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

function keep({ held, clock }: TokenMemory, id: string, tokens: Tokens): void {
  const lifetime = tokens.expiresAt - clock.now();
  held.set(id, { tokens, until: tokens.expiresAt - Math.min(marginMs, lifetime / 2) });
}

const isSame = (token: Secret, other: Secret | undefined) => other?.reveal() === token.reveal();
