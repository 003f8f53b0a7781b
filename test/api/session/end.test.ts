// Ends sessions; and which requests with a session are refused because another site may have made the browser send them.
import { describe, expect, test } from 'vitest';
import { newCaller } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { newPerson, type Person } from '#test/support/person.ts';

const current = async ({ page }: Person) => {
  const { items } = (await call('listSessions', { headers: page })).body;
  return { params: { sessionid: items.find(({ is_current }) => is_current)?.sessionid ?? '' } };
};

describe('204', () => {
  test('a session that is ended in another browser is refused', async () => {
    const one = await newPerson();
    const other = await newPerson({ email: one.email });
    const { status } = await call('endSession', { headers: other.page, ...(await current(one)) });
    expect(status).toBe(204);
    expect((await call('getMe', { headers: one.page })).problem.code).toBe('unauthenticated');
    expect((await call('getMe', { headers: other.page })).status).toBe(200);
  });
});

describe('403', () => {
  test.each<[string, Record<string, string>]>([
    ['the origin of another site', { origin: 'https://evil.example' }],
    ['an opaque origin', { origin: 'null' }],
    ['no origin', { origin: '' }],
    ['a site that is another', { 'sec-fetch-site': 'cross-site' }],
    ['a site that is only related', { 'sec-fetch-site': 'same-site' }],
    ['an address that was typed', { 'sec-fetch-site': 'none' }],
    ['no header of our pages', { 'x-session-request': '' }],
    ['another header of our pages', { 'x-session-request': '2' }],
  ])('a request with a session and %s is refused', async (_what, headers) => {
    const person = await newPerson();
    const { problem } = await call('endSession', {
      ...(await current(person)),
      headers: { ...person.page, ...headers },
    });
    expect(problem.code).toBe('cross_site_request');
    expect((await call('getMe', { headers: person.page })).status).toBe(200);
  });

  test('browsers that do not send Sec-Fetch-Site are not refused', async () => {
    const person = await newPerson();
    const headers = { ...person.page, 'sec-fetch-site': '' };
    expect((await call('endSession', { ...(await current(person)), headers })).status).toBe(204);
  });
});

describe('404', () => {
  test('a session of a colleague looks like one that is not there', async () => {
    const one = await newPerson();
    const other = await newPerson({ orgid: one.orgid });
    const missing = { params: { sessionid: `ses_${'A'.repeat(43)}` } };
    const theirs = await current(one);
    for (const target of [theirs, missing]) {
      const { problem } = await call('endSession', { headers: other.page, ...target });
      expect(problem).toMatchObject({
        code: 'session_not_found',
        detail: `There is no session ${target.params.sessionid}.`,
      });
    }
    expect((await call('getMe', { headers: one.page })).status).toBe(200);
    const { key } = await newCaller({ orgid: one.orgid });
    expect((await call('endSession', { key, ...theirs })).problem.code).toBe('session_not_found');
  });
});
