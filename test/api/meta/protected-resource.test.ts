// What clients learn of where access tokens are issued (RFC 9728).
import {
  discoverOAuthProtectedResourceMetadata,
  extractWWWAuthenticateParams,
} from '@modelcontextprotocol/client';
import { describe, expect, test } from 'vitest';
import { oauthScopes } from '#lib/access/oauth-scope.ts';
import { call } from '#test/support/client.ts';
import { connectorUrl, postMessage } from '#test/support/connector.ts';
import { serviceUrl } from '#test/support/service-url.ts';

const isAtStage = new URL(serviceUrl()).pathname !== '/';

describe('200', () => {
  test('describes the API, and the connector under its own path', async () => {
    const shared = {
      authorization_servers: [serviceUrl()],
      bearer_methods_supported: ['header'],
      resource_name: expect.any(String),
      resource_documentation: `${serviceUrl()}/openapi.json`,
    };
    const { body, headers } = await call('getProtectedResource');
    expect(body).toEqual({ ...shared, resource: serviceUrl(), scopes_supported: [...oauthScopes] });
    expect(headers.get('cache-control')).toBe('public, max-age=300');
    const connector = await fetch(`${serviceUrl()}/.well-known/oauth-protected-resource/api/v1/ai/mcp`);
    expect(await connector.json()).toEqual({
      ...shared,
      resource: connectorUrl(),
      scopes_supported: ['agents:read', 'agents:call'],
    });
  });

  // They begin at the root of a host, which is not ours at a stage of API Gateway (docs/connect.md).
  test.skipIf(isAtStage)('the official client finds it by the rules of RFC 9728 alone', async () => {
    const metadata = await discoverOAuthProtectedResourceMetadata(connectorUrl());
    expect(metadata.resource).toBe(connectorUrl());
  });

  test('the challenges of both resources lead to it', async () => {
    const challenges = [
      [await postMessage('{}'), connectorUrl()],
      [await fetch(`${serviceUrl()}/api/v1/me`), serviceUrl()],
    ] as const;
    for (const [response, resource] of challenges) {
      const sent =
        response.headers.get('www-authenticate') ?? response.headers.get('x-amzn-remapped-www-authenticate');
      const seen = new Response(null, { status: 401, headers: { 'www-authenticate': sent ?? '' } });
      const { resourceMetadataUrl } = extractWWWAuthenticateParams(seen);
      const metadata = await fetch(resourceMetadataUrl ?? '');
      expect(await metadata.json()).toMatchObject({ resource });
    }
  });

  test('pages of every origin may read it, also with the headers of MCP clients', async () => {
    for (const path of ['', '/api/v1/ai/mcp']) {
      const url = `${serviceUrl()}/.well-known/oauth-protected-resource${path}`;
      const origin = 'https://inspector.example';
      const preflight = await fetch(url, {
        method: 'OPTIONS',
        headers: {
          origin,
          'access-control-request-method': 'GET',
          'access-control-request-headers': 'mcp-protocol-version',
        },
      });
      expect(preflight.headers.get('access-control-allow-headers')?.toLowerCase()).toContain(
        'mcp-protocol-version',
      );
      expect(preflight.headers.get('access-control-allow-origin')).toBe('*');
      const read = await fetch(url, { headers: { origin } });
      expect(read.headers.get('access-control-allow-origin')).toBe('*');
    }
  });
});
