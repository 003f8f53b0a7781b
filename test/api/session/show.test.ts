import { expect, test } from 'vitest';
import { call } from '#test/support/client.ts';
import { newPerson, sessionCookie } from '#test/support/person.ts';

test('says who is signed in, where and as what, with a button to sign out', async () => {
  const { page, email, orgid } = await newPerson({ role: 'operator', workspaces: ['ws_a'] });
  const { text, headers } = await call('showSession', { headers: { cookie: page.cookie ?? '' } });
  for (const word of [email, orgid, 'operator', 'ws_a', 'action="logout"']) expect(text).toContain(word);
  expect(headers.get('cache-control')).toBe('no-store');
  expect(headers.get('content-security-policy')).toContain("default-src 'none'");
});

test('says how to sign in to who is not signed in, also with the cookie of a session that has ended', async () => {
  const cookie = `${sessionCookie}=${'A'.repeat(43)}`;
  for (const headers of [{}, { cookie }]) {
    const { text } = await call('showSession', { headers });
    expect(text).toContain('You are not signed in');
    expect(text).toContain('href="login?prompt=login"');
  }
});

test('escapes what an identity provider says', async () => {
  const { page } = await newPerson({
    email: `o'<b>"&${crypto.randomUUID()}@example.com`.replace(/[<>"]/g, ''),
  });
  expect((await call('showSession', { headers: { cookie: page.cookie ?? '' } })).text).toContain('&amp;');
});
