// What a client may ask for at each of the two resources that access tokens are for (RFC 8707).
import { oauthScopes } from '#lib/access/oauth-scope.ts';
import { type Resource, resourceScopes, resourceUrl, resourceUrls } from '#lib/access/resource.ts';

interface RequestedResource {
  readonly name: Resource;
  readonly uri: string;
  readonly scopes: readonly string[];
  /** What a request without a scope asks for. */
  readonly scopeDefault: string;
}

/** As many as the service has addresses. */
const describe = (name: Resource, scopeDefault: readonly string[]): RequestedResource[] =>
  resourceUrls(name).map((uri) => ({
    name,
    uri,
    scopes: resourceScopes[name],
    scopeDefault: scopeDefault.join(' '),
  }));

const resources = (): readonly RequestedResource[] => [
  ...describe('connector', resourceScopes.connector),
  ...describe(
    'api',
    oauthScopes.filter((scope) => scope === 'assistants.flows:read'),
  ),
];

/** It is meant by a client that names no resource, as those of MCP before 2025-06-18. */
export const defaultResource = (): string => resourceUrl('connector');

/** With or without a slash at its end, as libraries write URLs in both ways. */
export const findResource = (text: string): RequestedResource | undefined =>
  resources().find(({ uri }) => text === uri || text === `${uri}/`);
