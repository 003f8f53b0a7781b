// Clients that register, and confidential ones.
import { describe, expect, test } from 'vitest';
import {
  authorize,
  authorizeUrl,
  errorOf,
  exchange,
  newClient,
  newPkce,
  readTokens,
  redirectUri,
  register,
  requestToken,
} from '#test/support/oauth.ts';
import { newPerson } from '#test/support/person.ts';
import { serviceUrl } from '#test/support/service-url.ts';

describe('registrations', () => {
  test.each<[string, string]>([
    ['http', 'http://client.example.com/callback'],
    ['a fragment', 'https://client.example.com/callback#x'],
    ['an empty fragment', 'https://client.example.com/callback#'],
    ['a user name', 'https://user@client.example.com/callback'],
    ['an empty user name', 'https://@client.example.com/callback'],
    ['capitals in the host', 'https://CLIENT.example.com/callback'],
    ['a default port', 'https://client.example.com:443/callback'],
    ['a path that a browser shortens', 'https://client.example.com/callback/../'],
    ['an encoded path that a browser shortens', 'https://client.example.com/%2e%2e/callback'],
    ['any host', 'https://*.example.com/callback'],
    ['a backslash', 'https:\\\\client.example.com/callback'],
    ['a script', 'javascript:alert(1)'],
    ['data', 'data:text/html,x'],
    ['a file', 'file:///etc/passwd'],
    ['a scheme that any app can claim', 'myapp://callback'],
    ['a relative address', '/callback'],
    ['https on the loopback interface', 'https://127.0.0.1/callback'],
    ['another address of the device', 'http://127.0.0.2/callback'],
    ['a host that looks like loopback', 'http://localhost.evil.example/callback'],
    ['white space', 'https://client.example.com/call back'],
  ])('of a redirect URI with %s are refused', async (_what, uri) => {
    const [status, error] = await errorOf(await register({ redirect_uris: [uri] }));
    expect([status, error]).toEqual([400, 'invalid_redirect_uri']);
  });

  test.each(['com.example.app:/callback', 'cursor://anysphere.cursor-mcp/oauth/callback'])(
    'of the app %s are accepted',
    async (uri) => {
      const client = await newClient({ redirect_uris: [uri] });
      expect(client.redirect_uris).toEqual([uri]);
    },
  );

  test.each<[string, object]>([
    ['none', {}],
    ['an empty list', { redirect_uris: [] }],
    ['something else', { redirect_uris: 'https://client.example.com' }],
    ['too many', { redirect_uris: Array.from({ length: 21 }, (_, n) => `https://a.example/${n}`) }],
  ])('with %s as redirect URIs are refused', async (_what, metadata) => {
    const [status, error] = await errorOf(await register(metadata));
    expect([status, error]).toEqual([400, 'invalid_redirect_uri']);
  });

  test('that are no JSON objects are refused in the form of OAuth', async () => {
    const send = async (body: string, type = 'application/json') =>
      await fetch(`${serviceUrl()}/oauth/register`, {
        method: 'POST',
        headers: { 'content-type': type },
        body,
      });
    for (const body of ['', '[]', '{', 'null', '"x"'])
      expect(await errorOf(await send(body))).toEqual([400, 'invalid_request']);
    const large = JSON.stringify({ a: 'x'.repeat(60_000) });
    expect(await errorOf(await send(large))).toEqual([413, 'invalid_request']);
    expect(await errorOf(await send('{}', 'text/plain'))).toEqual([400, 'invalid_request']);
  });

  test('with text that is no Unicode are refused with its place', async () => {
    const answer = await register({ redirect_uris: [redirectUri], note: { by: ['\ud812'] } });
    expect(await answer.json()).toEqual({
      error: 'invalid_client_metadata',
      error_description: expect.stringMatching(/^note\.by\.0 .*surrogate/),
    });
  });

  test('do not bind a client to the scopes that it names first', async () => {
    const { browser } = await newPerson();
    const client = await newClient({ scope: 'agents:read' });
    expect(client.scope).toBeUndefined();
    const pkce = newPkce();
    const answer = await authorize(browser, authorizeUrl(client.client_id, pkce));
    const code = answer.searchParams.get('code') ?? '';
    const { scope } = await readTokens(await exchange({ client, pkce, code }));
    expect(scope).toBe('agents:read agents:call');
  });

  test('can be read with their token alone', async () => {
    const client = await newClient();
    const read = async (token: string) =>
      await fetch(client.registration_client_uri, { headers: { authorization: `Bearer ${token}` } });
    expect(await (await read(client.registration_access_token)).json()).toMatchObject({
      client_id: client.client_id,
    });
    const other = await newClient();
    expect(await errorOf(await read('A'.repeat(43)))).toEqual([401, 'invalid_token']);
    expect(await errorOf(await read(other.registration_access_token))).toEqual([401, 'invalid_token']);
  });
});

describe('confidential clients', () => {
  test.each(['client_secret_basic', 'client_secret_post'])('with %s need their secret', async (method) => {
    const { browser } = await newPerson();
    const client = await newClient({ token_endpoint_auth_method: method });
    const secret = client.client_secret ?? '';
    expect(secret).toMatch(/^[\w-]{43}$/);
    const pkce = newPkce();
    const answer = await authorize(browser, authorizeUrl(client.client_id, pkce));
    const send = async (given: string | undefined) => {
      const isBasic = method === 'client_secret_basic';
      const basic = Buffer.from(`${client.client_id}:${given}`).toString('base64');
      return await requestToken(
        {
          grant_type: 'authorization_code',
          code: answer.searchParams.get('code') ?? '',
          code_verifier: pkce.verifier,
          redirect_uri: redirectUri,
          ...((!isBasic || given === undefined) && { client_id: client.client_id }),
          ...(!isBasic && { client_secret: given }),
        },
        { headers: isBasic && given !== undefined ? { authorization: `Basic ${basic}` } : {} },
      );
    };
    expect(await errorOf(await send(undefined))).toEqual([401, 'invalid_client']);
    expect(await errorOf(await send('A'.repeat(43)))).toEqual([401, 'invalid_client']);
    expect((await send(secret)).status).toBe(200);
  });
});
