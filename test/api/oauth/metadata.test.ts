// What the authorization server says about itself, against what oidc-provider does.
import { describe, expect, test } from 'vitest';
import { call } from '#test/support/client.ts';
import { serviceUrl } from '#test/support/service-url.ts';

const paths = ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration'];

describe('200', () => {
  test.each(paths)('%s describes the server, to pages of every origin', async (path) => {
    const response = await fetch(`${serviceUrl()}${path}`, {
      headers: { origin: 'https://inspector.example' },
    });
    expect(response.status).toBe(200);
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    const issuer = serviceUrl();
    expect(await response.json()).toMatchObject({
      issuer,
      authorization_endpoint: `${issuer}/oauth/authorize`,
      token_endpoint: `${issuer}/oauth/token`,
      registration_endpoint: `${issuer}/oauth/register`,
      revocation_endpoint: `${issuer}/oauth/revoke`,
      jwks_uri: `${issuer}/.well-known/jwks.json`,
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
      client_id_metadata_document_supported: true,
    });
  });

  test('the endpoints that it names exist, and take the methods that clients use', async () => {
    const { body } = await call('getAuthorizationServerMetadata');
    for (const endpoint of [body.token_endpoint, body.registration_endpoint, body.revocation_endpoint])
      expect((await fetch(endpoint, { method: 'POST' })).status).toBeLessThan(402);
    for (const endpoint of [body.authorization_endpoint, body.jwks_uri])
      expect((await fetch(endpoint)).status).not.toBe(404);
  });

  test('it lists no scope that clients must not ask for', async () => {
    const { body } = await call('getAuthorizationServerMetadata');
    expect(body.scopes_supported).toEqual(expect.arrayContaining(['agents:read', 'agents:call', 'openid']));
    expect(body.scopes_supported).not.toContain('offline_access');
  });
});
