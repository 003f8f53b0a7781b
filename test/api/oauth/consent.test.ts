// The consent page: what it shows, whose form it takes, and what the client gets. Its address belongs to the operation
// `issueToken`.
import { describe, expect, test } from 'vitest';
import { operatorId } from '#lib/access/principal.ts';
import { insertWorkspace } from '#lib/workspace/workspace-items.ts';
import { unique } from '#test/support/caller.ts';
import {
  authorize,
  authorizeUrl,
  exchange,
  newClient,
  newCode,
  newPkce,
  openConsent,
  ownPage,
  readForm,
  readTokens,
  redirectUri,
  sendConsent,
} from '#test/support/oauth.ts';
import { Browser, invite, newPerson, signIn } from '#test/support/person.ts';
import { serviceUrl } from '#test/support/service-url.ts';

const errorCode = (page: string) => /<meta name="error-code" content="(\w+)">/.exec(page)?.[1];
const claims = (token: string): Record<string, unknown> =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());

async function askedOf(browser: Browser, parameters: Record<string, string | undefined> = {}, metadata = {}) {
  const client = await newClient(metadata);
  return await openConsent(browser, authorizeUrl(client.client_id, newPkce(), parameters));
}

describe('200', () => {
  test('the page says who asks, for what, where the access goes, and for whom', async () => {
    const { browser, email, orgid } = await newPerson({ role: 'builder' });
    const page = await (await browser.fetch(await askedOf(browser))).text();
    for (const text of ['Test client', 'client.example.com', 'nobody has verified its name', email, orgid])
      expect(page).toContain(text);
    expect(page).toContain('Find and list the agents that you may call.');
    expect(page).not.toContain('audit trail');
  });

  test('no other site can frame the page, and it has no script', async () => {
    const { browser } = await newPerson();
    const response = await browser.fetch(await askedOf(browser));
    const policy = response.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("script-src 'none'");
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('access-control-allow-origin')).toBeNull();
  });

  test('a hostile client cannot write into the page', async () => {
    const { browser } = await newPerson();
    const client_name = '<img src=x onerror=alert(1)>\u202e\u0000 "Claude"';
    const page = await (await browser.fetch(await askedOf(browser, {}, { client_name }))).text();
    expect(page).not.toContain('<img');
    for (const character of ['\u202e', '\u0000']) expect(page).not.toContain(character);
  });

  test('a person chooses the workspaces, and the token has these alone', async () => {
    const workspaces = [unique('ws'), unique('ws')];
    const { browser } = await newPerson({
      roles: Object.fromEntries(workspaces.map((each) => [each, 'caller'] as const)),
    });
    const client = await newClient();
    const pkce = newPkce();
    const answer = await authorize(browser, authorizeUrl(client.client_id, pkce), (form) => {
      form.delete('workspace');
      form.append('workspace', workspaces[1] ?? '');
      form.append('workspace', 'ws_of_others');
    });
    const code = answer.searchParams.get('code') ?? '';
    const { access_token } = await readTokens(await exchange({ client, pkce, code }));
    expect(claims(access_token).ws).toEqual([workspaces[1]]);
  });

  describe('a member of the whole organisation', () => {
    const nameWorkspaces = async (orgid: string, names: readonly string[]) =>
      await Promise.all(
        names.map(async (name, n) => {
          const workspaceid = `ws-${String(n).padStart(3, '0')}`;
          const by = { created_by: operatorId, updated_by: operatorId, created_at: now, updated_at: now };
          expect(await insertWorkspace({ workspaceid, orgid, name, version: 1, ...by })).toBe(true);
          return workspaceid;
        }),
      );
    const now = new Date().toISOString();

    const allow = async (browser: Browser, change: (form: URLSearchParams) => void) => {
      const client = await newClient();
      const pkce = newPkce();
      const answer = await authorize(browser, authorizeUrl(client.client_id, pkce), change);
      const code = answer.searchParams.get('code') ?? '';
      const { access_token } = await readTokens(await exchange({ client, pkce, code }));
      return claims(access_token).ws;
    };
    const choose =
      (chosen: readonly string[], typed = '') =>
      (form: URLSearchParams) => {
        form.delete('workspace');
        for (const each of chosen) form.append('workspace', each);
        form.set('workspaces', typed);
      };

    test('allows all workspaces if they change nothing', async () => {
      const { browser, orgid } = await newPerson();
      await nameWorkspaces(orgid, ['Sales']);
      expect(await allow(browser, () => undefined)).toBe('*');
    });

    test('chooses among those with a name, in the order of names, and types the ids of others', async () => {
      const { browser, orgid } = await newPerson();
      const [sales = '', , support = ''] = await nameWorkspaces(orgid, ['Sales', '<b>Éclair', 'support']);
      const page = await (await browser.fetch(await askedOf(browser))).text();
      const shown = [...page.matchAll(/name="workspace" value="([^"]+)"( checked)?/g)];
      expect(shown.map(([, id, checked]) => [id, checked !== undefined])).toEqual([
        ['*', true],
        ['ws-001', false],
        ['ws-000', false],
        ['ws-002', false],
      ]);
      expect(page).toContain('&lt;b&gt;Éclair');
      expect(page).not.toContain('not shown');
      expect(await allow(browser, choose([support, sales], ` ws_one, ${sales},ws_one`))).toEqual([
        support,
        sales,
        'ws_one',
      ]);
    });

    test('sees 50 of many, and how many there are', async () => {
      const { browser, orgid } = await newPerson();
      const names = Array.from({ length: 101 }, (_, n) => `Team ${n}`);
      await nameWorkspaces(orgid, names.slice(0, 51));
      const page = await (await browser.fetch(await askedOf(browser))).text();
      expect(page.match(/name="workspace"/g)).toHaveLength(1 + 50);
      expect(page).toContain('1 other workspace is not shown.');
      const other = await newPerson();
      await nameWorkspaces(other.orgid, names);
      expect(await (await other.browser.fetch(await askedOf(other.browser))).text()).toContain(
        'More than 50 other workspaces are not shown.',
      );
    });

    test.each([
      ['no workspace', choose([]), 'Choose all workspaces, or at least one.'],
      ['all and single ones', choose(['*', 'ws-000']), 'You have chosen all workspaces and also some'],
      ['all and other ones', choose(['*'], 'ws_one'), 'You have chosen all workspaces and also some'],
    ])('who chooses %s is asked again, with the choice kept', async (_, change, text) => {
      const { browser, orgid } = await newPerson();
      await nameWorkspaces(orgid, ['Sales', 'Support']);
      const response = await sendConsent(browser, await askedOf(browser), change);
      const page = await response.text();
      expect([response.status, page.includes(text)]).toEqual([400, true]);
      const sent = new URLSearchParams();
      change(sent);
      const kept = readForm(page);
      expect([kept.getAll('workspace'), kept.get('workspaces')]).toEqual([
        sent.getAll('workspace'),
        sent.get('workspaces'),
      ]);
    });
  });

  test('a member of two organisations chooses one of them', async () => {
    const { browser, email, orgid } = await newPerson();
    const other = await invite({ email, role: 'caller' });
    for (const each of [other.orgid, orgid]) await signIn(browser, email, { query: `?orgid=${each}` });
    const client = await newClient();
    const pkce = newPkce();
    const url = await openConsent(browser, authorizeUrl(client.client_id, pkce));
    expect(await (await browser.fetch(url)).text()).toContain(`<option value="${other.orgid}">`);
    const response = await sendConsent(browser, `${url}?orgid=${other.orgid}`);
    const code = new URL(/url=([^"]+)"/.exec(await response.text())?.[1] ?? '').searchParams.get('code');
    const { access_token } = await readTokens(await exchange({ client, pkce, code: code ?? '' }));
    expect(claims(access_token).org).toBe(other.orgid);
  });

  test('a refusal goes back to the client', async () => {
    const { browser } = await newPerson();
    const client = await newClient();
    const url = authorizeUrl(client.client_id, newPkce());
    const answer = await authorize(browser, url, (form) => form.set('action', 'refuse'));
    expect(answer.href.startsWith(`${redirectUri}?`)).toBe(true);
    expect(Object.fromEntries(answer.searchParams)).toEqual({
      error: 'access_denied',
      error_description: expect.any(String),
      state: 'state-of-the-client',
      iss: serviceUrl(),
    });
  });
});

describe('303', () => {
  test('somebody who is not signed in signs in first, and comes back', async () => {
    const { email, orgid } = await invite();
    const browser = new Browser();
    const consent = await askedOf(browser);
    const location = (await browser.fetch(consent)).headers.get('location') ?? '';
    const query = new URL(location).search;
    expect(new URL(location).searchParams.get('return_to')).toBe(new URL(consent).pathname);
    const response = await signIn(browser, email, { query: `${query}&orgid=${orgid}` });
    expect(new URL(response.headers.get('location') ?? '', serviceUrl()).href).toBe(consent);
    expect((await browser.fetch(consent)).status).toBe(200);
  });

  test.each(['login', 'select_account'])('prompt=%s asks the person to sign in again', async (prompt) => {
    const { browser } = await newPerson();
    // Sessions have seconds, so this one is older for sure.
    const client = await newClient();
    const url = authorizeUrl(client.client_id, newPkce(), {
      prompt,
      scope: 'openid agents:read',
      max_age: '0',
    });
    const consent = await openConsent(browser, url);
    const location = (await browser.fetch(consent)).headers.get('location') ?? '';
    if (location === '') return expect((await browser.fetch(consent)).status).toBe(200);
    expect(new URL(location).pathname).toBe('/auth/login');
    expect(new URL(location).searchParams.get('prompt')).toBe(prompt);
  });

  test('prompt=none is answered at once, since a person is always asked', async () => {
    const client = await newClient();
    const url = authorizeUrl(client.client_id, newPkce(), { prompt: 'none' });
    const location = new URL((await new Browser().fetch(url)).headers.get('location') ?? '');
    expect(location.searchParams.get('error')).toBe('consent_required');
  });
});

describe('400', () => {
  test('a person who chooses no workspace is asked again', async () => {
    const { browser } = await newPerson({ roles: { [unique('ws')]: 'caller' } });
    const response = await sendConsent(browser, await askedOf(browser), (form) => form.delete('workspace'));
    expect(response.status).toBe(400);
    const page = await response.text();
    expect(page).toContain('Choose at least one workspace.');
    expect(page, 'the choice is kept').not.toContain(' checked');
  });

  test('a workspace that cannot exist is named as a mistake', async () => {
    const { browser } = await newPerson();
    const response = await sendConsent(browser, await askedOf(browser), (form) => {
      form.delete('workspace');
      form.set('workspaces', 'not a "workspace"');
    });
    expect(response.status).toBe(400);
    const page = await response.text();
    expect(page).toContain('Choose up to 50 workspaces, and separate ids by commas.');
    expect(page, 'what was typed is kept').toContain('value="not a &quot;workspace&quot;"');
  });
});

describe('403', () => {
  const forged = async (headers: Record<string, string>) => {
    const { browser } = await newPerson();
    const consent = await askedOf(browser);
    const form = readForm(await (await browser.fetch(consent)).text());
    form.set('action', 'allow');
    const response = await browser.fetch(consent, { method: 'POST', body: form, headers });
    return [response.status, errorCode(await response.text())];
  };

  test('a form of another site is refused', async () => {
    for (const headers of [
      { ...ownPage(), origin: 'https://evil.example' },
      { ...ownPage(), origin: 'null' },
      { ...ownPage(), 'sec-fetch-site': 'cross-site' },
      { ...ownPage(), 'sec-fetch-site': 'same-site' },
      {},
    ])
      expect(await forged(headers)).toEqual([403, 'cross_site_request']);
  });

  test('a form that was made for another session is refused, also one of the same person', async () => {
    const { browser, email } = await newPerson();
    const consent = await askedOf(browser);
    const form = readForm(await (await browser.fetch(consent)).text());
    form.set('action', 'allow');
    const stranger = (await newPerson()).browser;
    await signIn(browser, email);
    for (const other of [stranger, browser, new Browser()]) {
      const response = await other.fetch(consent, { method: 'POST', body: form, headers: ownPage() });
      expect([response.status, errorCode(await response.text())]).toEqual([403, 'cross_site_request']);
    }
  });

  test('a form for an organisation that the person is no member of is refused', async () => {
    const { browser } = await newPerson();
    const other = await newPerson();
    const response = await sendConsent(browser, await askedOf(browser), (form) =>
      form.set('orgid', other.orgid),
    );
    expect([response.status, errorCode(await response.text())]).toEqual([403, 'cross_site_request']);
  });
});

describe('404', () => {
  test('a request that does not exist, and one that was answered, look alike', async () => {
    const { browser } = await newPerson();
    const consent = await askedOf(browser);
    await sendConsent(browser, consent);
    const pages = await Promise.all(
      [consent, `${serviceUrl()}/oauth/consent/${'A'.repeat(43)}`, `${serviceUrl()}/oauth/consent/x/y`].map(
        async (url) => {
          const response = await browser.fetch(url);
          expect(response.status).toBe(404);
          return (await response.text()).replace(/<code>.*<\/code>/, '');
        },
      ),
    );
    expect(errorCode(pages[0] ?? '')).toBe('authorization_request_not_found');
    expect(new Set(pages).size).toBe(1);
  });
});

describe('409', () => {
  test('of two forms at the same time, one gives a code', async () => {
    const { browser } = await newPerson();
    const consent = await askedOf(browser);
    const form = readForm(await (await browser.fetch(consent)).text());
    form.set('action', 'allow');
    const send = async () => {
      const response = await browser.fetch(consent, { method: 'POST', body: form, headers: ownPage() });
      return [response.status, errorCode(await response.text())] as const;
    };
    const answers = await Promise.all([send(), send(), send()]);
    expect(answers.filter(([status]) => status === 200)).toHaveLength(1);
    for (const [status, code] of answers.filter((each) => each[0] !== 200))
      expect([
        [409, 'authorization_answered'],
        [404, 'authorization_request_not_found'],
      ]).toContainEqual([status, code]);
  });
});

test('a code is good for the consent of one person alone', async () => {
  const [one, other] = await Promise.all([newPerson(), newPerson()]);
  const [first, second] = await Promise.all([newCode(one.browser), newCode(other.browser)]);
  const tokens = await Promise.all(
    [first, second].map(async (each) => await readTokens(await exchange(each))),
  );
  expect(tokens.map(({ access_token }) => claims(access_token).sub)).toEqual([one.id, other.id]);
});
