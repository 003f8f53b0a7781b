// As which client the service asks an OAuth server for access: one without a secret that the flow names, or one whose
// secret the workspace has stored as a connection.
import type { ConnectionBody } from '#lib/connection/connection.ts';
import { createConnectionFinder } from '#lib/connection/find.ts';
import { isAllowedPrivate, parseEgressPolicy } from '#lib/egress/egress-policy.ts';
import { createGuardedFetch, type GuardedFetch } from '#lib/egress/guarded-fetch.ts';
import { optionalEnv, requireEnv } from '#lib/env.ts';
import { ServiceError } from '#lib/errors.ts';
import type { ConnectionDeclaration } from '#lib/flow/format/connection.ts';
import type { StoredRun } from '#lib/run/stored-run.ts';
import { toOwner } from './open-link.ts';

type Credential<T extends ConnectionBody['type']> = Extract<ConnectionBody, { type: T }>['credential'];
export type OauthClient = Pick<
  Credential<'oauth_user'>,
  'token_url' | 'client_id' | 'client_secret' | 'client_auth'
>;
export type OauthDeclaration = NonNullable<ConnectionDeclaration['oauth']>;

export const callbackUrl = (): string => `${requireEnv('GATEWAY_URL')}/public/agent-config/callback`;

export async function findClient(run: StoredRun, oauth: OauthDeclaration): Promise<OauthClient> {
  const { client, client_id = '', token_url = '' } = oauth;
  if (client === undefined) return { client_id, token_url };
  const declaration: ConnectionDeclaration = { type: 'oauth_client_credentials', hosts: [] };
  const stored = await createConnectionFinder(toOwner(run))(client, declaration);
  if (stored?.value.type === 'oauth_client_credentials') {
    const { token_url, client_id, client_secret, client_auth } = stored.value.credential;
    return { token_url, client_id, client_secret, client_auth };
  }
  throw new ServiceError('authorization_failed', {
    detail: `The workspace has not stored “${client}” yet, the client as which this service asks for access.`,
  });
}

const policy = () => parseEgressPolicy(optionalEnv('EGRESS_ALLOW_PRIVATE'));

export const guardedFetch = (): GuardedFetch => createGuardedFetch(policy());

/** Over https alone, but for hosts that the operator of a laptop allows. */
export function parseAuthorizationUrl({ authorization_url }: OauthDeclaration): URL {
  const url = new URL(authorization_url);
  if (url.protocol === 'https:' || isAllowedPrivate(url, policy())) return url;
  throw new ServiceError('authorization_failed', {
    detail: 'The agent names an authorization endpoint without https, to which nobody is sent.',
  });
}
