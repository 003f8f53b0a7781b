// The credentials of routes as security schemes of OpenAPI.
import type { CredentialKind } from '#lib/access/credential.ts';
import type { Route } from '#lib/http/route.ts';

export const securitySchemes = {
  apiKeyAuth: {
    type: 'apiKey',
    in: 'header',
    name: 'X-API-Key',
    description: 'An API key of the service, which is a JWT, or an access token.',
  },
  bearerAuth: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description:
      'An access token of an OAuth client, issued for this URL, or the same API key. `/.well-known/oauth-protected-resource` says where tokens are issued. The names beside it are the scopes that an access token needs.',
  },
  cookieAuth: {
    type: 'apiKey',
    in: 'cookie',
    name: '__Host-agent-flow-session',
    description:
      'The session of a user, which `/auth/login` begins. Unsafe methods also take `X-Session-Request: 1` and the `Origin` of the service.',
  },
} as const;

const schemeNames = {
  apiKey: 'apiKeyAuth',
  bearer: 'bearerAuth',
  session: 'cookieAuth',
} as const satisfies Record<CredentialKind, keyof typeof securitySchemes>;

/** For `http` schemes, names beside them are allowed since OpenAPI 3.1. */
export function describeSecurity(route: Route): Record<string, string[]>[] {
  const { credentials, optionalCredentials, permission, scope = permission } = route;
  const scopes = scope === undefined ? [] : [scope];
  return [
    ...(optionalCredentials ? [{}] : []),
    ...credentials.map((kind) => ({ [schemeNames[kind]]: kind === 'bearer' ? scopes : [] })),
  ];
}
