// The protected resources that access tokens can be for (RFC 8707), and where each describes itself (RFC 9728).
import { addresses } from '#lib/addresses.ts';
import { requireEnv } from '#lib/env.ts';
import { type OAuthScope, oauthScopes } from './oauth-scope.ts';

export const resources = ['api', 'connector'] as const;
export type Resource = (typeof resources)[number];

/** Below the URL of the service. A token for the connector is refused everywhere else, and every other one there. */
const paths: Readonly<Record<Resource, string>> = { api: '', connector: '/api/v1/ai/mcp' };

/** The `aud` of its tokens: no trailing slash. */
export const resourceUrl = (resource: Resource): string => `${requireEnv('GATEWAY_URL')}${paths[resource]}`;

/** At each address: clients that were connected to a former one keep it as the audience of their tokens. */
export const resourceUrls = (resource: Resource): string[] =>
  addresses().map((address) => `${address}${paths[resource]}`);

/**
 * Where the URL of the service has no path, as with a domain of its own, this is also where clients look by themselves
 * (RFC 9728 §3.1).
 */
export const metadataPath = (resource: Resource): string =>
  `/.well-known/oauth-protected-resource${paths[resource]}`;

/** The scopes that challenges and metadata name. */
export const resourceScopes: Readonly<Record<Resource, readonly OAuthScope[]>> = {
  api: oauthScopes,
  connector: ['agents:read', 'agents:call'],
};
