// The authorization server, from the metadata to a refreshed token.
import { createRemoteJWKSet, decodeProtectedHeader, jwtVerify } from 'jose';
import * as oauth from 'oauth4webapi';
import { describe, expect, test } from 'vitest';
import {
  authorize,
  authorizeUrl,
  connector,
  exchange,
  newClient,
  newCode,
  readTokens,
  redirectUri,
  refresh,
} from '#test/support/oauth.ts';
import { newPerson } from '#test/support/person.ts';
import { serviceUrl } from '#test/support/service-url.ts';

const insecure = { [oauth.allowInsecureRequests]: true };
const keys = () => createRemoteJWKSet(new URL(`${serviceUrl()}/.well-known/jwks.json`));

describe('200', () => {
  test('a strict client library gets a token for the connector, signed by the key of the tenant', async () => {
    const { browser, id, orgid } = await newPerson();
    const issuer = new URL(serviceUrl());
    const discovered = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure });
    const server = await oauth.processDiscoveryResponse(issuer, discovered);
    const client = await newClient();
    const verifier = oauth.generateRandomCodeVerifier();
    const pkce = { verifier, challenge: await oauth.calculatePKCECodeChallenge(verifier) };
    const answer = await authorize(browser, authorizeUrl(client.client_id, pkce));
    expect(answer.origin + answer.pathname).toBe(redirectUri);
    const own = { client_id: client.client_id };
    const checked = oauth.validateAuthResponse(server, own, answer, 'state-of-the-client');
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      own,
      oauth.None(),
      checked,
      redirectUri,
      verifier,
      insecure,
    );
    const tokens = await oauth.processAuthorizationCodeResponse(server, own, response);
    expect(tokens).toMatchObject({ token_type: 'bearer', expires_in: 600, scope: 'agents:read agents:call' });
    const { payload } = await jwtVerify(tokens.access_token, keys(), {
      issuer: serviceUrl(),
      audience: connector(),
      typ: 'at+jwt',
      algorithms: ['ES256'],
    });
    expect(Object.keys(decodeProtectedHeader(tokens.access_token)).sort()).toEqual(['alg', 'kid', 'typ']);
    expect(payload).toEqual({
      iss: serviceUrl(),
      sub: id,
      aud: connector(),
      client_id: client.client_id,
      scope: 'agents:read agents:call',
      org: orgid,
      ws: '*',
      grant: expect.stringMatching(/^[\w-]{43}$/),
      iat: expect.any(Number),
      exp: Number(payload.iat) + 600,
      jti: expect.any(String),
    });
  });

  test('a refresh token gives new tokens, once, for the same grant', async () => {
    const { browser } = await newPerson();
    const authorized = await newCode(browser);
    const first = await readTokens(await exchange(authorized));
    const second = await readTokens(await refresh(authorized, first.refresh_token));
    expect(second.refresh_token).not.toBe(first.refresh_token);
    const [one, other] = [first, second].map(({ access_token }) => claims(access_token));
    expect(other?.grant).toBe(one?.grant);
    expect(other?.jti).not.toBe(one?.jti);
  });
});

describe('404', () => {
  test('a path that is no endpoint is answered in the form of OAuth', async () => {
    for (const path of ['introspect', 'token/x', 'revoke/x', 'consent', '__proto__', 'authorize/x'])
      for (const method of ['GET', 'POST']) {
        const response = await fetch(`${serviceUrl()}/oauth/${path}`, { method });
        expect([path, response.status]).toEqual([path, 404]);
        const body = await response.text();
        // Those for people answer pages.
        const isPage = /^(consent|authorize)/.test(path);
        expect(body).toContain(isPage ? 'content="route_not_found"' : '"error":"invalid_request"');
      }
  });
});

describe('405', () => {
  test.each([
    ['token', 'GET', 'OPTIONS, POST'],
    ['revoke', 'PUT', 'OPTIONS, POST'],
    ['register', 'DELETE', 'OPTIONS, POST'],
    ['register/', 'GET', 'OPTIONS, POST'],
    ['register/client_x', 'DELETE', 'GET, HEAD, OPTIONS'],
    ['authorize', 'POST', 'GET, HEAD, OPTIONS'],
  ])('%s does not take %s', async (path, method, allowed) => {
    for (const url of [
      `${serviceUrl()}/oauth/${path}`,
      ...(/^revoke|\//.test(path) ? [] : [`${serviceUrl()}/${path}`]),
    ]) {
      const response = await fetch(url, { method });
      expect([url, response.status]).toEqual([url, 405]);
      if (url.includes('/oauth/') && path !== 'token') expect(response.headers.get('allow')).toBe(allowed);
      expect(await response.json()).toMatchObject({ error: 'invalid_request' });
    }
  });
});

test('a method that an address does not have is refused as such, however large the body is', async () => {
  const body = 'x'.repeat(300_000);
  const { status } = await fetch(`${serviceUrl()}/oauth/register`, { method: 'DELETE', body });
  expect(status).toBe(405);
});

describe('413', () => {
  const bytesMax = 56 * 1_024;
  const form = 'application/x-www-form-urlencoded';
  const padded = (start: string, end: string, bytes: number) =>
    `${start}${'x'.repeat(bytes - start.length - end.length)}${end}`;
  const post = async (path: string, type: string, body: string) => {
    const response = await fetch(`${serviceUrl()}${path}`, {
      method: 'POST',
      headers: { 'content-type': type },
      body,
    });
    return { status: response.status, body: await response.json() };
  };

  test.each([
    // With the resource, which is the connector where the client names none.
    [
      '/oauth/token',
      form,
      `resource=${encodeURIComponent(connector())}&grant_type=refresh_token&refresh_token=`,
      '',
    ],
    [
      '/token',
      form,
      `resource=${encodeURIComponent(connector())}&grant_type=refresh_token&refresh_token=`,
      '',
    ],
    ['/oauth/revoke', form, `resource=${encodeURIComponent(connector())}&token=`, ''],
    ['/oauth/register', 'application/json', '{"redirect_uris":["https://client.example.com/x"],"x":"', '"}'],
  ])('a body of %s that is larger than can be read names the limit', async (path, type, start, end) => {
    const largest = await post(path, type, padded(start, end, bytesMax));
    expect(largest.status).toBeLessThan(413);
    expect(JSON.stringify(largest.body)).not.toContain('parse');
    expect(await post(path, type, padded(start, end, bytesMax + 1))).toEqual({
      status: 413,
      body: { error: 'invalid_request', error_description: 'The body may have 57344 bytes at most.' },
    });
  });
});

/** Named here, as the page that answers it has no operation of its own: 'route_not_found'. */
const claims = (token: string): Record<string, unknown> =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
