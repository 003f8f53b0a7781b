// What a connection adds to a request: one header or one query parameter. OAuth tokens are fetched when first
// needed.

import type { Credential } from '#lib/egress/carried-credential.ts';
import type { GuardedFetch } from '#lib/egress/guarded-fetch.ts';
import { type Secret, secret } from '#lib/secret.ts';
import { clientTokens, type TokenSource, userTokens } from './access-token.ts';
import type { OpenConnection } from './find.ts';
import type { TokenMemory } from './token-memory.ts';

export interface Authorization {
  readonly add: () => Promise<Credential>;
  /** Gets another credential after a host refused one with 401; undefined for types that have no other. */
  readonly renew?: (refused: Credential) => Promise<Credential>;
}

export interface AuthorizationOptions {
  readonly name: string;
  readonly connection: OpenConnection;
  readonly fetch: GuardedFetch;
  readonly memory: TokenMemory;
}

export function createAuthorization({
  name,
  connection,
  fetch,
  memory,
}: AuthorizationOptions): Authorization {
  const { value } = connection;
  const named = { ...connection, name };
  switch (value.type) {
    case 'http_bearer':
      return fixedCredential(bearer(value.credential.token));
    case 'http_header':
      return fixedCredential(
        toCredential('header', value.credential.header, value.credential.value, [value.credential.value]),
      );
    case 'http_query':
      return fixedCredential(
        toCredential('query', value.credential.parameter, value.credential.value, [value.credential.value]),
      );
    case 'http_basic':
      return fixedCredential(basic(value.credential.username, value.credential.password));
    case 'oauth_client_credentials':
      return tokenCredential(clientTokens(memory, fetch, named, value.credential));
    case 'oauth_user':
      return tokenCredential(userTokens(memory, fetch, named, value.credential));
  }
}

const toCredential = (
  to: Credential['to'],
  name: string,
  value: Secret,
  secrets: readonly Secret[],
): Credential => ({
  to,
  name,
  value,
  secrets,
});

const fixedCredential = (only: Credential): Authorization => ({ add: async () => only });

const tokenCredential = ({ token }: TokenSource): Authorization => ({
  add: async () => bearer(await token()),
  renew: async ({ secrets: [refused] }) => bearer(await token(refused)),
});

const bearer = (token: Secret) =>
  toCredential('header', 'authorization', secret(`Bearer ${token.reveal()}`), [token]);

function basic(username: string, password: Secret): Credential {
  const pair = secret(Buffer.from(`${username}:${password.reveal()}`).toString('base64'));
  return toCredential('header', 'authorization', secret(`Basic ${pair.reveal()}`), [pair, password]);
}
