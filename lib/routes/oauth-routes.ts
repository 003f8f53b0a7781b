// The authorization server: one function for what takes oidc-provider, and one for the metadata.
import * as z from 'zod';
import { route } from '#lib/http/route.ts';
import { authorizationServerMetadata } from '#lib/oauth/metadata.ts';

const shared = { tag: 'Authorization', credentials: [], timeout: 'quick', transfer: 'buffered' } as const;

export const oauthRoutes = {
  issueToken: route({
    ...shared,
    method: 'POST',
    path: '/oauth/token',
    // Below it the other endpoints, as the metadata names them; at the root those that clients without it take.
    also: [
      { name: 'endpoint', method: 'ANY', path: '/oauth/{subpath+}' },
      { name: 'authorize', method: 'ANY', path: '/authorize' },
      { name: 'token', method: 'ANY', path: '/token' },
      { name: 'register', method: 'ANY', path: '/register' },
    ],
    entry: 'oauth/serve',
    audited: 'byFunction',
    summary: 'Get an access token',
    description:
      'The token endpoint (OAuth 2.1): an authorization code with its PKCE verifier, or a refresh token, for an access token of ten minutes. ' +
      'The metadata names the other endpoints.',
    query: z.object({}),
    form: {
      description: 'The parameters of RFC 6749, RFC 7636 and RFC 8707.',
      example: {
        grant_type: 'authorization_code',
        client_id: 'client_0Qv7m3Xb9sYt1ZcR5nKp8WgLd2HfJ4aE6uVxTqMyBwo',
        code: '<CODE>',
        code_verifier: '<VERIFIER>',
        redirect_uri: 'http://127.0.0.1:33418/callback',
      },
    },
    bodyKind: 'management',
    crossOrigin: 'all',
    errorForm: 'oauth',
    response: {
      status: 200,
      description: 'An access token, and a refresh token that replaces the one that was sent.',
      schema: z
        .looseObject({
          access_token: z.string(),
          token_type: z.literal('Bearer'),
          expires_in: z.int(),
          scope: z.string(),
          refresh_token: z.string().optional(),
        })
        .meta({ id: 'TokenResponse' }),
    },
    errors: [
      'cross_site_request',
      'authorization_request_not_found',
      'authorization_answered',
      'rate_limited',
    ],
    uses: [
      'control.read',
      'authorizations.write',
      'credentials.note',
      'signingKey.sign',
      'signingKey.publicKey',
      'cursorKey.derive',
      'callbacks.call',
      'limits.count',
    ],
  }),

  getAuthorizationServerMetadata: route({
    ...shared,
    method: 'GET',
    path: '/.well-known/oauth-authorization-server',
    also: [{ name: 'openid', method: 'GET', path: '/.well-known/openid-configuration' }],
    entry: 'oauth/metadata',
    summary: 'Describe the authorization server',
    description: 'Its endpoints and what it supports (RFC 8414, and OpenID Connect Discovery 1.0).',
    crossOrigin: 'all',
    response: {
      status: 200,
      description: 'The metadata.',
      schema: authorizationServerMetadata,
    },
    errors: [],
    uses: [],
  }),
} as const;
