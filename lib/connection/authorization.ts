// What a connection adds to a request: one header, one query parameter, or a signature. OAuth tokens and sessions of
// roles are fetched when first needed.

import type { AddedValue, Credential } from '#lib/egress/carried-credential.ts';
import type { GuardedFetch } from '#lib/egress/guarded-fetch.ts';
import type { AwsScopes } from '#lib/flow/format/aws-scope.ts';
import { type Secret, secret } from '#lib/secret.ts';
import { clientTokens, type TokenSource, userTokens } from './access-token.ts';
import type { OpenConnection } from './find.ts';
import type { TokenMemory } from './token-memory.ts';

export interface Authorization {
  /** For a request to the URL. */
  readonly add: (url: URL) => Promise<Credential>;
  /** Gets another credential after a host refused one with 401; undefined for types that have no other. */
  readonly renew?: (refused: Credential) => Promise<Credential>;
}

export interface AuthorizationOptions {
  readonly name: string;
  readonly connection: OpenConnection;
  /** The services and regions of AWS that the flow declares. */
  readonly aws: AwsScopes | undefined;
  readonly fetch: GuardedFetch;
  readonly memory: TokenMemory;
}

export function createAuthorization({
  name,
  connection,
  aws,
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
    case 'aws_sigv4': {
      const role = { ...named, role: value.credential, aws };
      return {
        add: async (url) => (await import('./aws-session.ts')).createSignature(memory, fetch, role, url),
      };
    }
  }
}

const toCredential = (
  to: AddedValue['to'],
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
