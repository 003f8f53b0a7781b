// What a connection adds to a request: one header or one query parameter. Tokens are fetched when they are first needed.

import type { Credential } from '#lib/egress/carried-credential.ts';
import type { GuardedFetch } from '#lib/egress/guarded-fetch.ts';
import { type Secret, secret } from '#lib/secret.ts';
import type { OpenConnection } from './find.ts';
import { clientTokens, type TokenSource, userTokens } from './oauth/access-token.ts';
import type { TokenMemory } from './oauth/token-memory.ts';

export interface Authorization {
  readonly add: () => Promise<Credential>;
  /** Another one in place of what a host has refused with 401; undefined where there is no other. */
  readonly renew?: (refused: Credential) => Promise<Credential>;
}

export interface AuthorizationOptions {
  readonly name: string;
  readonly connection: OpenConnection;
  readonly fetch: GuardedFetch;
  readonly memory: TokenMemory;
}

export function authorizationOf({ name, connection, fetch, memory }: AuthorizationOptions): Authorization {
  const { value } = connection;
  const named = { ...connection, name };
  switch (value.type) {
    case 'http_bearer':
      return fixed(bearer(value.credential.token));
    case 'http_header':
      return fixed(
        addition('header', value.credential.header, value.credential.value, [value.credential.value]),
      );
    case 'http_query':
      return fixed(
        addition('query', value.credential.parameter, value.credential.value, [value.credential.value]),
      );
    case 'http_basic':
      return fixed(basic(value.credential.username, value.credential.password));
    case 'oauth_client_credentials':
      return renewed(clientTokens(memory, fetch, named, value.credential));
    case 'oauth_user':
      return renewed(userTokens(memory, fetch, named, value.credential));
  }
}

const addition = (
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

const fixed = (only: Credential): Authorization => ({ add: async () => only });

const renewed = ({ token }: TokenSource): Authorization => ({
  add: async () => bearer(await token()),
  renew: async ({ secrets: [refused] }) => bearer(await token(refused)),
});

const bearer = (token: Secret) =>
  addition('header', 'authorization', secret(`Bearer ${token.reveal()}`), [token]);

function basic(username: string, password: Secret): Credential {
  const pair = secret(Buffer.from(`${username}:${password.reveal()}`).toString('base64'));
  return addition('header', 'authorization', secret(`Basic ${pair.reveal()}`), [pair, password]);
}
