// What others try with codes, refresh tokens, clients and redirect URIs.
import { describe, expect, test } from 'vitest';
import { readGrant } from '#lib/access/grant-items.ts';
import { memberItemKey } from '#lib/access/member-items.ts';
import { lowLatencyControlTable } from '#lib/dynamo/client.ts';
import { mustExist } from '#lib/dynamo/conditions.ts';
import { deleteItemIf } from '#lib/dynamo/items.ts';
import {
  authorize,
  authorizeUrl,
  connector,
  errorOf,
  exchange,
  newClient,
  newCode,
  newPkce,
  readTokens,
  redirectUri,
  refresh,
  register,
  requestToken,
} from '#test/support/oauth.ts';
import { Browser, newPerson } from '#test/support/person.ts';
import { serviceUrl } from '#test/support/service-url.ts';

const invalidGrant = [400, 'invalid_grant'];
const claims = (token: string): Record<string, string> =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());

/** What a browser gets that is sent to the authorization endpoint: an error for the client, or a page. */
async function refusal(url: string): Promise<readonly [number, string | undefined, string | undefined]> {
  const response = await new Browser().fetch(url);
  const location = response.headers.get('location');
  const page = await response.text();
  const target = location === null ? undefined : new URL(location);
  const fragment = new URLSearchParams(target?.hash.slice(1));
  const error =
    target?.searchParams.get('error') ??
    fragment.get('error') ??
    /name="error-code" content="(\w+)"/.exec(page)?.[1];
  return [response.status, error, target && target.origin + target.pathname];
}

describe('codes', () => {
  test('a code that is used again is refused, and ends what it has given', async () => {
    const { browser } = await newPerson();
    const authorized = await newCode(browser);
    const tokens = await readTokens(await exchange(authorized));
    expect(await errorOf(await exchange(authorized))).toEqual(invalidGrant);
    expect(await errorOf(await refresh(authorized, tokens.refresh_token))).toEqual(invalidGrant);
    expect(await readGrant(claims(tokens.access_token).grant ?? '', Date.now())).toBeUndefined();
  });

  test('of two exchanges at the same time none leaves a token that can be refreshed', async () => {
    const { browser } = await newPerson();
    const authorized = await newCode(browser);
    const answers = await Promise.all([exchange(authorized), exchange(authorized), exchange(authorized)]);
    const good = answers.filter(({ status }) => status === 200);
    expect(good.length).toBeLessThanOrEqual(1);
    for (const answer of good) {
      const { refresh_token } = await readTokens(answer);
      expect(await errorOf(await refresh(authorized, refresh_token))).toEqual(invalidGrant);
    }
  });

  test('a code of another client is refused, and stays good for its own', async () => {
    const { browser } = await newPerson();
    const authorized = await newCode(browser);
    const thief = await newClient();
    expect(await errorOf(await exchange({ ...authorized, client: thief }))).toEqual(invalidGrant);
    expect((await exchange(authorized)).status).toBe(200);
  });

  test.each<[string, Record<string, string | undefined>]>([
    ['no verifier', { code_verifier: undefined }],
    ['another verifier', { code_verifier: newPkce().verifier }],
    ['a verifier that is too short', { code_verifier: 'short' }],
    ['another redirect URI', { redirect_uri: `${redirectUri}/` }],
    ['another code', { code: 'A'.repeat(43) }],
  ])('a code with %s is refused', async (_what, changes) => {
    const { browser } = await newPerson();
    const [status, error] = await errorOf(await exchange(await newCode(browser), changes));
    expect([status, ['invalid_grant', 'invalid_request'].includes(error)]).toEqual([400, true]);
  });

  test('a code is bound to its resource', async () => {
    const { browser } = await newPerson();
    const authorized = await newCode(browser);
    expect(await errorOf(await exchange(authorized, { resource: serviceUrl() }))).toEqual([
      400,
      'invalid_target',
    ]);
  });
});

describe('refresh tokens', () => {
  const newTokens = async () => {
    const person = await newPerson();
    const authorized = await newCode(person.browser);
    return { person, authorized, tokens: await readTokens(await exchange(authorized)) };
  };

  test('one that was replaced ends the grant, for the thief and for the client', async () => {
    const { authorized, tokens } = await newTokens();
    const next = await readTokens(await refresh(authorized, tokens.refresh_token));
    expect(await errorOf(await refresh(authorized, tokens.refresh_token))).toEqual(invalidGrant);
    expect(await errorOf(await refresh(authorized, next.refresh_token))).toEqual(invalidGrant);
    expect(await readGrant(claims(next.access_token).grant ?? '', Date.now())).toBeUndefined();
  });

  test('of refreshes at the same time one at most succeeds, and the grant ends', async () => {
    const { authorized, tokens } = await newTokens();
    const answers = await Promise.all([1, 2, 3].map(() => refresh(authorized, tokens.refresh_token)));
    expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
    expect(await readGrant(claims(tokens.access_token).grant ?? '', Date.now())).toBeUndefined();
  });

  test('one of another client is refused, and stays good for its own', async () => {
    const { authorized, tokens } = await newTokens();
    const thief = { ...authorized, client: await newClient() };
    expect(await errorOf(await refresh(thief, tokens.refresh_token))).toEqual(invalidGrant);
    expect((await refresh(authorized, tokens.refresh_token)).status).toBe(200);
  });

  test('one asks for no more scopes than were granted, and no other resource', async () => {
    const { authorized, tokens } = await newTokens();
    const more = { scope: 'agents:read audit:read' };
    expect(await errorOf(await refresh(authorized, tokens.refresh_token, more))).toEqual([
      400,
      'invalid_scope',
    ]);
    const other = { resource: serviceUrl() };
    expect(await errorOf(await refresh(authorized, tokens.refresh_token, other))).toEqual([
      400,
      'invalid_target',
    ]);
    // None of these has used it up.
    const less = await readTokens(await refresh(authorized, tokens.refresh_token, { scope: 'agents:read' }));
    expect(less.scope).toBe('agents:read');
  });

  test('one of a user who is no member any more is refused', async () => {
    const { person, authorized, tokens } = await newTokens();
    const key = memberItemKey({ userid: person.id, orgid: person.orgid });
    await deleteItemIf(lowLatencyControlTable, key, mustExist);
    expect(await errorOf(await refresh(authorized, tokens.refresh_token))).toEqual(invalidGrant);
  });

  test('an access token is no refresh token', async () => {
    const { authorized, tokens } = await newTokens();
    expect(await errorOf(await refresh(authorized, tokens.access_token))).toEqual(invalidGrant);
  });
});

describe('authorization requests', () => {
  test.each<[string, Record<string, string | undefined>, string]>([
    ['no PKCE', { code_challenge: undefined, code_challenge_method: undefined }, 'invalid_request'],
    ['plain PKCE', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['PKCE without a method, which means plain', { code_challenge_method: undefined }, 'invalid_request'],
    ['a challenge that is too short', { code_challenge: 'short' }, 'invalid_request'],
    ['a response type other than code', { response_type: 'token' }, 'unsupported_response_type'],
    ['two response types', { response_type: 'code id_token' }, 'unsupported_response_type'],
    ['a form_post', { response_mode: 'form_post' }, 'unsupported_response_mode'],
    ['a fragment', { response_mode: 'fragment' }, 'unsupported_response_mode'],
    ['another resource', { resource: 'https://evil.example/mcp' }, 'invalid_target'],
    ['no known scope', { scope: 'everything' }, 'invalid_scope'],
    ['only scopes of the other resource', { scope: 'audit:read' }, 'invalid_scope'],
    ['a request object', { request: 'e30.e30.' }, 'request_not_supported'],
    ['a request URI', { request_uri: 'http://169.254.169.254/' }, 'request_uri_not_supported'],
  ])('with %s are answered to the client with an error', async (_what, parameters, error) => {
    const client = await newClient();
    const url = authorizeUrl(client.client_id, newPkce(), parameters);
    expect(await refusal(url)).toEqual([303, error, redirectUri]);
  });

  test('without a response type are answered with the name of the parameter', async () => {
    const client = await newClient();
    const url = authorizeUrl(client.client_id, newPkce(), { response_type: undefined });
    const response = await new Browser().fetch(url);
    const { searchParams } = new URL(response.headers.get('location') ?? '');
    expect(searchParams.get('error')).toBe('invalid_request');
    expect(searchParams.get('error_description')).toContain('response_type');
  });

  test.each<[string, string]>([
    ['another host', 'https://evil.example/callback'],
    ['a host in front', 'https://client.example.com.evil.example/callback'],
    ['user information', 'https://client.example.com@evil.example/callback'],
    ['a longer path', 'https://client.example.com/callback/../evil'],
    ['a path below', 'https://client.example.com/callback/evil'],
    ['another path in capitals', 'https://client.example.com/Callback'],
    ['another host in capitals', 'https://CLIENT.example.com/callback'],
    ['an encoded character', 'https://client.example.com/%63allback'],
    ['a query', 'https://client.example.com/callback?next=https://evil.example'],
    ['a fragment', 'https://client.example.com/callback#evil'],
    ['a port', 'https://client.example.com:8443/callback'],
    ['http', 'http://client.example.com/callback'],
    ['a backslash', 'https://client.example.com\\@evil.example/callback'],
    ['a script', 'javascript:alert(1)'],
    ['a line break', 'https://client.example.com/callback\r\nx: y'],
  ])('with %s in the redirect URI are shown as a page, and redirect nowhere', async (_what, uri) => {
    const client = await newClient();
    const url = authorizeUrl(client.client_id, newPkce(), { redirect_uri: uri });
    expect(await refusal(url)).toEqual([400, 'invalid_redirect_uri', undefined]);
  });

  test('with two redirect URIs are answered to the one that is registered', async () => {
    const client = await newClient();
    const url = `${authorizeUrl(client.client_id, newPkce())}&redirect_uri=https%3A%2F%2Fevil.example%2F`;
    expect(await refusal(url)).toEqual([303, 'invalid_request', redirectUri]);
  });

  test('of an unknown client are shown as a page', async () => {
    const url = authorizeUrl('client_unknown', newPkce());
    expect(await refusal(url)).toEqual([400, 'invalid_client', undefined]);
  });

  test.each(['http://127.0.0.1:5000/cb', 'http://localhost:5000/cb', 'http://[::1]:5000/cb'])(
    'to %s take any port, and only the same host and path',
    async (registered) => {
      const { browser } = await newPerson();
      const client = await newClient({ redirect_uris: [registered] });
      const answer = await authorize(
        browser,
        authorizeUrl(client.client_id, newPkce(), { redirect_uri: registered.replace(':5000', ':61234') }),
      );
      expect(answer.port).toBe('61234');
      for (const other of [
        registered.replace('/cb', '/other'),
        registered.replace('http:', 'https:'),
        registered.replace(/\/\/[^/]+:5000/, '//0.0.0.0:5000'),
        registered.replace('http://', 'http://user@'),
      ])
        expect(await refusal(authorizeUrl(client.client_id, newPkce(), { redirect_uri: other }))).toEqual([
          400,
          'invalid_redirect_uri',
          undefined,
        ]);
    },
  );
});

describe('what clients leave out or write differently', () => {
  test.each<[string, Record<string, string | undefined>, string, string]>([
    ['no resource', { resource: undefined }, connector(), 'agents:read agents:call'],
    ['a resource with a slash', { resource: `${connector()}/` }, connector(), 'agents:read agents:call'],
    ['no scope', { scope: undefined }, connector(), 'agents:read agents:call'],
    ['the API', { resource: `${serviceUrl()}/`, scope: undefined }, serviceUrl(), 'assistants.flows:read'],
    ['a scope too many', { scope: 'agents:read offline_access' }, connector(), 'agents:read'],
  ])('%s is accepted', async (_what, parameters, audience, scope) => {
    const { browser } = await newPerson();
    const authorized = await newCode(browser, parameters);
    const tokens = await readTokens(await exchange(authorized, { resource: `${audience}/` }));
    expect(tokens.scope).toBe(scope);
    expect(claims(tokens.access_token).aud).toBe(audience);
  });

  test('the endpoints at the root work like those that the metadata names', async () => {
    const { browser } = await newPerson();
    const registered = await register(
      { redirect_uris: [redirectUri], token_endpoint_auth_method: 'none' },
      '/register',
    );
    const client = (await registered.json()) as { client_id: string };
    const pkce = newPkce();
    const url = authorizeUrl(client.client_id, pkce).replace('/oauth/authorize', '/authorize');
    const answer = await authorize(browser, url);
    const tokens = await requestToken(
      {
        grant_type: 'authorization_code',
        client_id: client.client_id,
        code: answer.searchParams.get('code') ?? '',
        code_verifier: pkce.verifier,
        redirect_uri: redirectUri,
      },
      { path: '/token' },
    );
    expect(tokens.status).toBe(200);
  });

  test('pages of any origin may use the endpoints of clients, and none may read the consent page', async () => {
    const origin = 'https://inspector.example';
    for (const path of ['/oauth/token', '/oauth/register', '/oauth/revoke']) {
      const preflight = await fetch(`${serviceUrl()}${path}`, { method: 'OPTIONS', headers: { origin } });
      expect([path, preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([
        path,
        204,
        '*',
      ]);
      const answer = await fetch(`${serviceUrl()}${path}`, { method: 'POST', headers: { origin } });
      expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    }
    const page = await fetch(`${serviceUrl()}/oauth/consent/${'A'.repeat(43)}`, { headers: { origin } });
    expect(page.headers.get('access-control-allow-origin')).toBeNull();
  });
});

describe('revocation', () => {
  const revoke = async (parameters: Record<string, string>) =>
    await fetch(`${serviceUrl()}/oauth/revoke`, { method: 'POST', body: new URLSearchParams(parameters) });

  test('of a refresh token ends the grant', async () => {
    const { browser } = await newPerson();
    const authorized = await newCode(browser);
    const tokens = await readTokens(await exchange(authorized));
    const token = tokens.refresh_token ?? '';
    expect((await revoke({ token, client_id: authorized.client.client_id })).status).toBe(200);
    expect(await errorOf(await refresh(authorized, token))).toEqual(invalidGrant);
    expect(await readGrant(claims(tokens.access_token).grant ?? '', Date.now())).toBeUndefined();
  });

  test('of a token of another client, and of an unknown one, changes nothing and says nothing', async () => {
    const { browser } = await newPerson();
    const authorized = await newCode(browser);
    const { refresh_token = '' } = await readTokens(await exchange(authorized));
    const thief = await newClient();
    for (const token of [refresh_token, 'A'.repeat(43)])
      expect((await revoke({ token, client_id: thief.client_id })).status).toBe(200);
    expect((await refresh(authorized, refresh_token)).status).toBe(200);
  });
});
