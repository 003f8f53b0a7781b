// The authorization server and the connector where the address of the service has a path, as that of a stage of API
// Gateway has: every address that they state is below the stage, and works there. What no service can do there, because
// the root of the host is not its own, is in docs/connect.md.
import { auth, type OAuthClientProvider } from '@modelcontextprotocol/client';
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { connectorUrl, postMessage } from '#test/support/connector.ts';
import {
  authorize,
  authorizeUrl,
  exchange,
  newClient,
  newCode,
  newPkce,
  openConsent,
  ownPage,
  readTokens,
  redirectUri,
  refresh,
} from '#test/support/oauth.ts';
import { Browser, invite, newPerson, sessionCookie, signIn } from '#test/support/person.ts';
import { type Staged, startStaged } from '#test/support/stage.ts';

let staged: Staged;
beforeAll(async () => {
  staged = await startStaged('main');
});
afterAll(async () => await staged.close());

const texts = z.record(z.string(), z.unknown());
const readJson = async (url: string) => texts.parse(await (await fetch(url)).json());
const listTools = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };

describe('what the service says about itself', () => {
  test.each(['oauth-authorization-server', 'openid-configuration'])(
    '%s: the issuer has the stage, and all addresses are below it',
    async (name) => {
      const metadata = await readJson(`${staged.url}/.well-known/${name}`);
      expect(metadata.issuer).toBe(staged.url);
      const addresses = Object.entries(metadata).filter(([key]) => /_(endpoint|uri)$/.test(key));
      expect(addresses).toHaveLength(5);
      for (const [, address] of addresses) {
        expect(String(address).startsWith(`${staged.url}/`)).toBe(true);
        expect([200, 303, 400, 405]).toContain((await fetch(String(address), { redirect: 'manual' })).status);
      }
    },
  );

  test('the challenge of the connector leads to its metadata, and this to the issuer', async () => {
    const response = await postMessage(JSON.stringify(listTools));
    expect(response.status).toBe(401);
    const challenge = response.headers.get('www-authenticate') ?? '';
    const address = /resource_metadata="([^"]+)"/.exec(challenge)?.[1] ?? '';
    expect(address).toBe(`${staged.url}/.well-known/oauth-protected-resource/api/v1/ai/mcp`);
    expect(await readJson(address)).toMatchObject({
      resource: connectorUrl(),
      authorization_servers: [staged.url],
      resource_documentation: `${staged.url}/openapi.json`,
    });
  });

  test('a client that registers reads its registration below the stage', async () => {
    const { registration_client_uri, registration_access_token, client_id } = await newClient();
    expect(registration_client_uri).toBe(`${staged.url}/oauth/register/${client_id}`);
    const headers = { authorization: `Bearer ${registration_access_token}` };
    expect((await fetch(registration_client_uri, { headers })).status).toBe(200);
  });
});

describe('a person', () => {
  test('signs in on the way to consent, and comes back to it; the cookies are of the whole host', async () => {
    const { email } = await invite();
    const browser = new Browser();
    const consent = await openConsent(browser, authorizeUrl((await newClient()).client_id, newPkce()));
    expect(consent.startsWith(`${staged.url}/oauth/consent/`)).toBe(true);
    const login = new URL((await browser.fetch(consent)).headers.get('location') ?? '');
    expect(`${login.origin}${login.pathname}`).toBe(`${staged.url}/auth/login`);
    const begun = await browser.fetch(login.href);
    const back = new URL(begun.headers.get('location') ?? '').searchParams.get('redirect_uri');
    expect(back).toBe(`${staged.url}/auth/callback`);
    const response = await signIn(browser, email, { query: login.search });
    expect(response.headers.get('location')).toBe(new URL(consent).pathname);
    const cookies = [...begun.headers.getSetCookie(), ...response.headers.getSetCookie()];
    expect(cookies.filter((each) => each.includes('; Path=/;'))).toHaveLength(3);
    expect((await browser.fetch(consent)).status).toBe(200);
  });

  test('signs out by the form of the page of the session, and gets to that page', async () => {
    const { browser } = await newPerson();
    const page = `${staged.url}/auth/session`;
    const action = /<form method="post" action="([^"]+)"/.exec(await (await browser.fetch(page)).text())?.[1];
    const logout = new URL(action ?? '', page).href;
    expect(logout).toBe(`${staged.url}/auth/logout`);
    const response = await browser.fetch(logout, { method: 'POST', headers: ownPage() });
    expect([response.status, response.headers.get('location')]).toEqual([303, '/main/auth/session']);
    expect(browser.cookie(sessionCookie)).toBeUndefined();
  });

  test.each(['/auth/session', '/oauth/consent/x', '/other/auth/session', '/main/auth/login', '//main/x'])(
    'comes back to no path beside the stage: %s',
    async (path) => {
      const url = `${staged.url}/auth/login?return_to=${encodeURIComponent(path)}`;
      expect((await new Browser().fetch(url)).status).toBe(400);
    },
  );
});

describe('a client', () => {
  test('gets tokens of this issuer for this connector, uses, refreshes and revokes them', async () => {
    const { browser, id } = await newPerson();
    const authorized = await newCode(browser);
    const tokens = await readTokens(await exchange(authorized));
    const claims = decodeJwt(tokens.access_token);
    expect([claims.iss, claims.aud, claims.sub]).toEqual([staged.url, connectorUrl(), id]);
    const use = async (token: string) =>
      (await postMessage(JSON.stringify(listTools), { headers: { authorization: `Bearer ${token}` } }))
        .status;
    expect(await use(tokens.access_token)).toBe(200);
    const renewed = await readTokens(await refresh(authorized, tokens.refresh_token));
    expect(await use(renewed.access_token)).toBe(200);
    const body = new URLSearchParams({
      token: renewed.refresh_token ?? '',
      client_id: authorized.client.client_id,
    });
    expect((await fetch(`${staged.url}/oauth/revoke`, { method: 'POST', body })).status).toBe(200);
    expect((await refresh(authorized, renewed.refresh_token)).status).toBe(400);
  });

  test('is answered with the issuer that the metadata names (RFC 9207)', async () => {
    const { browser } = await newPerson();
    const answer = await authorize(browser, authorizeUrl((await newClient()).client_id, newPkce()));
    expect(answer.searchParams.get('iss')).toBe(staged.url);
  });

  test('of another address of the host is refused: its resource is not that of the service', async () => {
    const { browser } = await newPerson();
    const { client_id } = await newClient();
    const resource = connectorUrl().replace('/main/', '/');
    const response = await browser.fetch(authorizeUrl(client_id, newPkce(), { resource }));
    expect(new URL(response.headers.get('location') ?? '').searchParams.get('error')).toBe('invalid_target');
  });

  test('of the official library finds everything from the challenge alone, and gets a token', async () => {
    const { browser } = await newPerson();
    const { provider, stored } = newProvider();
    const { headers } = await postMessage(JSON.stringify(listTools));
    const address = /resource_metadata="([^"]+)"/.exec(headers.get('www-authenticate') ?? '')?.[1] ?? '';
    const options = { serverUrl: connectorUrl(), resourceMetadataUrl: new URL(address) };
    expect(await auth(provider, options)).toBe('REDIRECT');
    const answer = await authorize(browser, stored.redirect ?? '');
    const authorizationCode = answer.searchParams.get('code') ?? '';
    const iss = answer.searchParams.get('iss') ?? '';
    expect(await auth(provider, { ...options, authorizationCode, iss })).toBe('AUTHORIZED');
    expect(decodeJwt(stored.token ?? '').aud).toBe(connectorUrl());
  });
});

/** Of a program that keeps all in memory. */
function newProvider() {
  const stored: { redirect?: string; token?: string } = {};
  let client: Awaited<ReturnType<OAuthClientProvider['clientInformation']>>;
  let verifier = '';
  const provider: OAuthClientProvider = {
    redirectUrl: redirectUri,
    clientMetadata: {
      client_name: 'Library',
      redirect_uris: [redirectUri],
      token_endpoint_auth_method: 'none',
    },
    clientInformation: () => client,
    saveClientInformation: (information) => {
      client = information;
    },
    tokens: () => undefined,
    saveTokens: ({ access_token }) => {
      stored.token = access_token;
    },
    redirectToAuthorization: ({ href }) => {
      stored.redirect = href;
    },
    saveCodeVerifier: (text) => {
      verifier = text;
    },
    codeVerifier: () => verifier,
  };
  return { provider, stored };
}
