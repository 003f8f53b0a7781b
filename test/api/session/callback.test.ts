// Sign-in against the local identity provider, and the tricks that others try with it.
import { describe, expect, test } from 'vitest';
import { unique } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import {
  Browser,
  invite,
  newEmail,
  newPerson,
  pageHeaders,
  sessionCookie,
  signIn,
  signInCookie,
  startSignIn,
} from '#test/support/person.ts';
import { serviceUrl } from '#test/support/service-url.ts';

const callback = async (url: string, browser = new Browser()) => await browser.fetch(url);
const errorCode = (page: string) => /<meta name="error-code" content="(\w+)">/.exec(page)?.[1];
const expectRefused = async (response: Response) => {
  expect(response.status).toBe(400);
  expect(errorCode(await response.text())).toBe('sign_in_failed');
  expect(response.headers.getSetCookie().filter((cookie) => cookie.startsWith(sessionCookie))).toEqual([]);
};

describe('200', () => {
  test('a person who was invited is signed in, with a cookie that no script can read', async () => {
    const { email, orgid } = await invite({ role: 'builder' });
    const browser = new Browser();
    const response = await signIn(browser, email);
    expect(response.status).toBe(303);
    expect(response.headers.get('location')).toBe('/auth/session');
    expect(response.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^agent-flow-session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=86400$/),
      'agent-flow-sign-in=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0',
    ]);
    const { body } = await call('getMe', { headers: pageHeaders(browser) });
    expect(body).toMatchObject({ kind: 'user', email, orgid, roles: { '*': 'builder' } });
  });

  test('a person is the same user at each sign-in, in each browser', async () => {
    const { email, id } = await newPerson();
    const browser = new Browser();
    await signIn(browser, email);
    expect((await call('getMe', { headers: pageHeaders(browser) })).body.id).toBe(id);
  });

  test('the browser goes to the page that was asked for', async () => {
    const { email } = await invite();
    const response = await signIn(new Browser(), email, { query: '?return_to=%2Fopenapi.json%3Fa%3D1' });
    expect(response.headers.get('location')).toBe('/openapi.json?a=1');
  });

  test('a new session has a new id, and the former one of the browser ends', async () => {
    const { browser, email } = await newPerson();
    const former = pageHeaders(browser);
    await signIn(browser, email);
    expect(pageHeaders(browser).cookie).not.toBe(former.cookie);
    expect((await call('getMe', { headers: pageHeaders(browser) })).status).toBe(200);
    expect((await call('getMe', { headers: former })).problem.code).toBe('unauthenticated');
  });

  test('a session id that somebody has planted before is not used (session fixation)', async () => {
    const { email } = await invite();
    const browser = new Browser();
    const planted = 'A'.repeat(43);
    browser.setCookie(sessionCookie, planted);
    await signIn(browser, email);
    expect(browser.cookie(sessionCookie)).not.toBe(planted);
    const headers = { ...pageHeaders(browser), cookie: `${sessionCookie}=${planted}` };
    expect((await call('getMe', { headers })).problem.code).toBe('unauthenticated');
  });

  test('a member of two organisations is signed in to the one that was asked for', async () => {
    const one = await invite();
    const other = await invite({ email: one.email, role: 'viewer' });
    for (const [orgid, role] of [
      [one.orgid, 'owner'],
      [other.orgid, 'viewer'],
    ]) {
      const browser = new Browser();
      await signIn(browser, one.email, { query: `?orgid=${orgid}` });
      expect((await call('getMe', { headers: pageHeaders(browser) })).body).toMatchObject({
        orgid,
        roles: { '*': role },
      });
    }
  });

  test('a member of an organisation joins another one only where the sign-in names it', async () => {
    const own = await newPerson();
    const other = await invite({ email: own.email, orgid: `a${unique('org')}` });
    const organizations = async (query = '') => {
      const browser = new Browser();
      await signIn(browser, own.email, { query });
      const { orgid, organizations = [] } = (await call('getMe', { headers: pageHeaders(browser) })).body;
      return [orgid, ...organizations.map((each) => each.orgid)];
    };
    expect(await organizations()).toEqual([own.orgid, own.orgid]);
    expect(await organizations(`?orgid=${own.orgid}`)).toEqual([own.orgid, own.orgid]);
    expect(await organizations(`?orgid=${other.orgid}`)).toEqual([other.orgid, other.orgid, own.orgid]);
    // Not the first one by its name, which another organisation can choose.
    expect(await organizations()).toEqual([own.orgid, other.orgid, own.orgid]);
  });

  test('two sign-ins of one browser at the same time do not disturb each other', async () => {
    const { email } = await invite();
    const browser = new Browser();
    const first = await startSignIn(browser, email);
    await browser.fetch(`${serviceUrl()}/auth/login`);
    expect((await callback(first, browser)).status).toBe(303);
  });
});

/** With a page that no sign-in accepts. */
const makeForeignState = (return_to: string) =>
  `${Buffer.from(JSON.stringify({ return_to, until: 1, id: 'x' })).toString('base64url')}.AAAA`;

describe('400', () => {
  test('an answer in another browser is refused (login CSRF)', async () => {
    const { email } = await invite();
    const answer = await startSignIn(new Browser(), email);
    await expectRefused(await callback(answer));
    const other = new Browser();
    await other.fetch(`${serviceUrl()}/auth/login`);
    await expectRefused(await callback(answer, other));
  });

  test('an answer that is sent again is refused, also with the cookie of the sign-in', async () => {
    const { email } = await invite();
    const browser = new Browser();
    const answer = await startSignIn(browser, email);
    const cookie = browser.cookie(signInCookie) ?? '';
    expect((await callback(answer, browser)).status).toBe(303);
    await expectRefused(await callback(answer, browser));
    browser.setCookie(signInCookie, cookie);
    await expectRefused(await callback(answer, browser));
  });

  test.each<[string, (answer: URL) => void]>([
    ['no state', ({ searchParams }) => searchParams.delete('state')],
    ['another state', ({ searchParams }) => searchParams.set('state', 'e30.AAAA')],
    [
      'a state with another page',
      ({ searchParams }) => {
        const [text = '', mac = ''] = (searchParams.get('state') ?? '').split('.');
        const content = {
          ...JSON.parse(Buffer.from(text, 'base64url').toString()),
          return_to: '//evil.example',
        };
        searchParams.set('state', `${Buffer.from(JSON.stringify(content)).toString('base64url')}.${mac}`);
      },
    ],
    ['no code', ({ searchParams }) => searchParams.delete('code')],
    ['another code', ({ searchParams }) => searchParams.set('code', 'A'.repeat(43))],
    ['no iss', ({ searchParams }) => searchParams.delete('iss')],
    ['the iss of another provider', ({ searchParams }) => searchParams.set('iss', 'https://evil.example')],
    ['an error', ({ searchParams }) => searchParams.set('error', 'access_denied')],
  ])('an answer with %s is refused', async (_what, change) => {
    const { email } = await invite();
    const browser = new Browser();
    const answer = new URL(await startSignIn(browser, email));
    change(answer);
    await expectRefused(await callback(answer.href, browser));
  });

  const linkOf = async (response: Response) => {
    const link = /href="([^"]*\/auth\/login[^"]*)"/.exec(await response.text())?.[1];
    const { pathname, searchParams } = new URL(link?.replaceAll('&amp;', '&') ?? '', serviceUrl());
    return { pathname, ...Object.fromEntries(searchParams) };
  };

  test('the link to try again leads to the same organisation and page', async () => {
    const wanted = { orgid: unique('org'), return_to: '/auth/session?from=mail' };
    const browser = new Browser();
    const query = `?${new URLSearchParams(wanted)}`;
    const answer = new URL(await startSignIn(browser, newEmail(), { query }));
    answer.searchParams.set('error', 'access_denied');
    const link = await linkOf(await callback(answer.href, browser));
    expect(link).toEqual({ pathname: '/auth/login', ...wanted });
  });

  test.each(['', 'e30.AAAA', '%00', makeForeignState('//evil.example')])(
    'the link to try again is that of a plain sign-in for the state %j',
    async (state) => {
      const link = await linkOf(await callback(`${serviceUrl()}/auth/callback?error=x&state=${state}`));
      expect(link).toEqual({ pathname: '/auth/login' });
    },
  );

  test('a code of one sign-in is refused with the state of another (PKCE, nonce)', async () => {
    const { email } = await invite();
    const browser = new Browser();
    const [one, other] = [
      new URL(await startSignIn(browser, email)),
      new URL(await startSignIn(browser, email, { query: '?prompt=login' })),
    ];
    one.searchParams.set('code', other.searchParams.get('code') ?? '');
    await expectRefused(await callback(one.href, browser));
  });

  test('a parameter that is sent twice is refused', async () => {
    const response = await callback(`${serviceUrl()}/auth/callback?state=a&state=b`);
    expect(errorCode(await response.text())).toBe('validation_failed');
  });
});

describe('403', () => {
  const expectNoMember = async (response: Response) => {
    expect(response.status).toBe(403);
    const page = await response.text();
    expect(errorCode(page)).toBe('not_a_member');
    expect(response.headers.getSetCookie().some((cookie) => cookie.startsWith(sessionCookie))).toBe(false);
    return page;
  };

  test('who is no member sees a page that says so, and gets no session', async () => {
    const email = newEmail();
    expect(await expectNoMember(await signIn(new Browser(), email))).toContain(email);
  });

  test('the button to sign in as somebody else leads to the same organisation and page', async () => {
    const [orgid, return_to] = [unique('org'), '/auth/session?from=mail'];
    const query = `?${new URLSearchParams({ orgid, return_to })}`;
    const page = await expectNoMember(await signIn(new Browser(), newEmail(), { query }));
    const link = /href="(login[^"]*)"/.exec(page)?.[1]?.replaceAll('&amp;', '&') ?? '';
    const wanted = new URL(link, `${serviceUrl()}/auth/`).searchParams;
    expect(Object.fromEntries(wanted)).toEqual({ prompt: 'login', orgid, return_to });
  });

  test('an invitation does not find an address that the provider has not verified', async () => {
    const { email } = await invite();
    const page = await expectNoMember(await signIn(new Browser(), email, { isVerified: false }));
    expect(page).toContain('has not verified');
    // The invitation is still there for whoever has the address.
    expect((await signIn(new Browser(), email)).status).toBe(303);
  });

  test('an invitation that has expired makes no member', async () => {
    const { email } = await invite({ expiresAt: Date.now() - 1 });
    await expectNoMember(await signIn(new Browser(), email));
  });

  test('a member of one organisation is none of another', async () => {
    const { email } = await newPerson();
    await expectNoMember(await signIn(new Browser(), email, { query: `?orgid=${unique('org')}` }));
  });
});
