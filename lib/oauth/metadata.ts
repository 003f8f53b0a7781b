// The metadata of the authorization server (RFC 8414 §2). A test compares it with what oidc-provider says about itself.
import * as z from 'zod';
import { oauthScopes } from '#lib/access/oauth-scope.ts';
import { requireEnv } from '#lib/env.ts';

const texts = z.array(z.string());

export const authorizationServerMetadata = z
  .strictObject({
    issuer: z.string(),
    authorization_endpoint: z.string(),
    token_endpoint: z.string(),
    registration_endpoint: z.string(),
    revocation_endpoint: z.string(),
    jwks_uri: z.string(),
    scopes_supported: texts,
    response_types_supported: texts,
    response_modes_supported: texts,
    grant_types_supported: texts,
    token_endpoint_auth_methods_supported: texts,
    revocation_endpoint_auth_methods_supported: texts,
    code_challenge_methods_supported: texts,
    subject_types_supported: texts,
    id_token_signing_alg_values_supported: texts,
    claims_supported: texts,
    authorization_response_iss_parameter_supported: z.literal(true),
    client_id_metadata_document_supported: z.literal(true),
    request_parameter_supported: z.literal(false),
    request_uri_parameter_supported: z.literal(false),
    claims_parameter_supported: z.literal(false),
  })
  .meta({ id: 'AuthorizationServerMetadata' });

export const clientAuthMethods = ['none', 'client_secret_basic', 'client_secret_post'] as const;

export function describeServer(): z.infer<typeof authorizationServerMetadata> {
  const issuer = requireEnv('GATEWAY_URL');
  return {
    issuer,
    authorization_endpoint: `${issuer}/oauth/authorize`,
    token_endpoint: `${issuer}/oauth/token`,
    registration_endpoint: `${issuer}/oauth/register`,
    revocation_endpoint: `${issuer}/oauth/revoke`,
    jwks_uri: `${issuer}/.well-known/jwks.json`,
    scopes_supported: ['openid', ...oauthScopes],
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_methods_supported: [...clientAuthMethods],
    revocation_endpoint_auth_methods_supported: [...clientAuthMethods],
    code_challenge_methods_supported: ['S256'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['ES256'],
    claims_supported: ['sub', 'iss', 'auth_time'],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
    request_parameter_supported: false,
    request_uri_parameter_supported: false,
    claims_parameter_supported: false,
  };
}
