import { describe, expect, test } from 'vitest';
import { call } from '#test/support/client.ts';
import { Browser, signInCookie } from '#test/support/person.ts';
import { serviceUrl } from '#test/support/service-url.ts';

const login = async (query: string, browser = new Browser()) =>
  await browser.fetch(`${serviceUrl()}/auth/login${query}`);

describe('200', () => {
  test('leads to the identity provider, with PKCE, state and nonce', async () => {
    const response = await login('?prompt=login');
    expect(response.status).toBe(303);
    const { searchParams } = new URL(response.headers.get('location') ?? '');
    expect(Object.fromEntries(searchParams)).toEqual({
      response_type: 'code',
      client_id: 'agent-flow-local',
      redirect_uri: `${serviceUrl()}/auth/callback`,
      scope: 'openid email profile',
      state: expect.stringMatching(/^[\w-]+\.[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
      prompt: 'login',
    });
  });

  test('each sign-in has a state, nonce and challenge of its own, which do not contain the cookie', async () => {
    const browser = new Browser();
    const one = (await login('', browser)).headers.get('location') ?? '';
    const other = (await login('', browser)).headers.get('location') ?? '';
    for (const name of ['state', 'nonce', 'code_challenge'])
      expect(new URL(one).searchParams.get(name)).not.toBe(new URL(other).searchParams.get(name));
    expect(one).not.toContain(browser.cookie(signInCookie));
  });

  test.each([
    '/auth/session',
    '/console/',
    '/console/runs?status=failed#top',
    '/a//b',
    '/%2f%2fevil.example',
  ])('may return to %s', async (path) => {
    expect((await login(`?return_to=${encodeURIComponent(path)}`)).status).toBe(303);
  });
});

describe('400', () => {
  test.each([
    'https://evil.example/',
    '//evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    '/\t/evil.example',
    '/a\\..\\..\\evil',
    '/a/..//evil.example',
    '/.//evil.example',
    '/%2e//evil.example',
    '/x/%2E%2e//user@evil.example:443/auth/session',
    '//evil.example@127.0.0.1/',
    'http:evil.example',
    '/\u0000/evil.example',
    '／／evil.example',
    `/${'a'.repeat(1_024)}`,
    'javascript:alert(1)',
    'console',
    '',
    ' /console',
    '/console\r\nSet-Cookie: a=b',
    '/auth/login',
    '/x/../auth/logout',
    '/auth/%2e%2e/auth/login',
    '/é',
  ])('does not lead to %j', async (path) => {
    const { problem } = await call('beginSignIn', { query: { return_to: path } });
    expect(problem.code).toBe('validation_failed');
  });
});
