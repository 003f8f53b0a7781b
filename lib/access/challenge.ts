// The header `WWW-Authenticate` (RFC 9110 §11.6.1): how to get what a request lacks, a credential or a scope.
import { requireEnv } from '#lib/env.ts';
import { metadataPath, type Resource, resourceScopes } from './resource.ts';

export interface Challenge {
  /** None for a request that carried no credential (RFC 6750 §3.1). */
  readonly error?: 'invalid_token' | 'insufficient_scope';
  /** All that the client should ask for; by default those of the connector, which all of its clients need. */
  readonly scopes?: readonly string[];
  readonly serviceUrl?: string;
}

/**
 * With the address of the metadata from which clients learn where tokens are issued (RFC 9728 §5.1). X-API-Key has no
 * scheme of its own; wherever that is accepted, the same key is a Bearer token.
 */
export function buildChallenge(
  resource: Resource = 'api',
  { error, scopes = hintedScopes(resource), serviceUrl = requireEnv('GATEWAY_URL') }: Challenge = {},
): string {
  const parameters = {
    realm: 'agent-flow',
    ...(error && { error }),
    resource_metadata: `${serviceUrl}${metadataPath(resource)}`,
    ...(scopes.length > 0 && { scope: scopes.join(' ') }),
  };
  const texts = Object.entries(parameters).map(([name, value]) => `${name}="${value}"`);
  return `Bearer ${texts.join(', ')}`;
}

/** Which of the API's a client needs depends on what it does. */
const hintedScopes = (resource: Resource): readonly string[] =>
  resource === 'connector' ? resourceScopes.connector : [];
