// The cookies of a deployed service: over https they have names and attributes that no other host of its domain can set.
// The functions run in this process.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeState } from '#lib/session/sign-in-state.ts';
import { askInProcess } from '#test/support/ask-in-process.ts';
import { newPerson, type Person, sessionCookie } from '#test/support/person.ts';

const gateway = 'https://flows.example';
let person: Person;
beforeAll(async () => {
  person = await newPerson();
  process.env.GATEWAY_URL = gateway;
});
let former: string | undefined;
beforeAll(() => {
  former = process.env.GATEWAY_URL;
});
afterAll(() => {
  process.env.GATEWAY_URL = former;
});

const token = () => (person.page.cookie ?? '').slice(`${sessionCookie}=`.length);
const ownPage = { origin: gateway, 'sec-fetch-site': 'same-origin', 'x-session-request': '1' };

test('cookies have the prefix __Host-, and are Secure, HttpOnly and of the whole host', async () => {
  const begun = await askInProcess('beginSignIn');
  const ended = await askInProcess('signOut', {
    headers: { ...ownPage, cookie: `__Host-${sessionCookie}=${'A'.repeat(43)}` },
  });
  expect([begun, ended].map(({ multiValueHeaders }) => multiValueHeaders?.['set-cookie'])).toEqual([
    [
      expect.stringMatching(
        /^__Host-agent-flow-sign-in=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=600; Secure$/,
      ),
    ],
    ['__Host-agent-flow-session=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0; Secure'],
  ]);
  expect(begun.headers['strict-transport-security']).toBeDefined();
  const { searchParams } = new URL(begun.headers.location ?? '');
  expect(searchParams.get('redirect_uri')).toBe(`${gateway}/auth/callback`);
});

test('a cookie without the prefix, which another host of the domain could set, is no session', async () => {
  const named = async (name: string) =>
    (await askInProcess('getMe', { headers: { cookie: `${name}=${token()}` } })).statusCode;
  expect(await named(`__Host-${sessionCookie}`)).toBe(200);
  for (const name of [
    sessionCookie,
    `__Secure-${sessionCookie}`,
    `__host-${sessionCookie}`,
    `__Host-${sessionCookie}2`,
    ` x__Host-${sessionCookie}`,
  ])
    expect([name, await named(name)]).toEqual([name, 401]);
});

test('a sign-in cookie without the prefix does not make a browser accept an answer (login CSRF)', async () => {
  const planted = 'B'.repeat(43);
  const { state } = makeState({ return_to: '/auth/session' }, planted, Date.now());
  const sent = async (name: string) => {
    return (
      await askInProcess('finishSignIn', {
        query: { state, code: 'c' },
        headers: { cookie: `${name}=${planted}` },
      })
    ).body;
  };
  expect(await sent('agent-flow-sign-in')).toContain('This browser did not start this sign-in');
  // With the prefix it is the code that fails.
  expect(await sent('__Host-agent-flow-sign-in')).not.toContain('This browser did not start this sign-in');
});

test('two cookies of the name are no session, in whatever order and header', async () => {
  const own = `__Host-${sessionCookie}=${token()}`;
  const planted = `__Host-${sessionCookie}=${'A'.repeat(43)}`;
  for (const cookie of [`${own}; ${planted}`, `${planted}; ${own}`, `${own};${own}`, `${own},${planted}`]) {
    expect((await askInProcess('getMe', { headers: { cookie } })).statusCode).toBe(401);
    const page = await askInProcess('showSession', { headers: { cookie } });
    expect(page.body).toContain('You are not signed in');
  }
});

test('only pages of the https origin act with a session', async () => {
  const ask = async (more: Readonly<Record<string, string>>) => {
    const cookie = `__Host-${sessionCookie}=${token()}`;
    return (await askInProcess('endSession', { headers: { ...ownPage, cookie, ...more } })).statusCode;
  };
  for (const origin of [
    'http://flows.example',
    'https://flows.example:8443',
    'https://evil.flows.example',
    'https://flows.example.evil.example',
    'https://flows.example, https://evil.example',
    'https://FLOWS.example',
    'null',
  ])
    expect([origin, await ask({ origin })]).toEqual([origin, 403]);
  expect(await ask({}), 'the session that the event names does not exist').toBe(404);
});
