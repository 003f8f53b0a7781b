import { describe, expect, test } from 'vitest';
import { call } from '#test/support/client.ts';
import { newPerson, type Person } from '#test/support/person.ts';
import { serviceUrl } from '#test/support/service-url.ts';

const signOut = async ({ page }: Person, headers: Record<string, string> = {}) =>
  await fetch(`${serviceUrl()}/auth/logout`, {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie: page.cookie ?? '', origin: page.origin ?? '', ...headers },
  });

describe('200', () => {
  test('the session ends, whatever the browser keeps, and the cookie is removed', async () => {
    const person = await newPerson();
    const response = await signOut(person, { 'sec-fetch-site': 'same-origin' });
    expect(response.status).toBe(303);
    expect(response.headers.get('location')).toBe('/auth/session');
    expect(response.headers.getSetCookie()).toEqual([
      'agent-flow-session=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0',
    ]);
    expect((await call('getMe', { headers: person.page })).problem.code).toBe('unauthenticated');
  });

  test('signing out again changes nothing', async () => {
    const person = await newPerson();
    await signOut(person);
    expect((await signOut(person)).status).toBe(303);
  });
});

describe('403', () => {
  test.each<[string, Record<string, string>]>([
    ['another origin', { origin: 'https://evil.example' }],
    ['an opaque origin', { origin: 'null' }],
    ['another site', { 'sec-fetch-site': 'cross-site' }],
    ['another host of the site', { 'sec-fetch-site': 'same-site' }],
  ])('a page of %s cannot sign anybody out', async (_what, headers) => {
    const person = await newPerson();
    expect((await signOut(person, headers)).status).toBe(403);
    expect((await call('getMe', { headers: person.page })).status).toBe(200);
  });

  test('nor can a request without an origin', async () => {
    const { problem } = await call('signOut', { headers: { cookie: (await newPerson()).page.cookie ?? '' } });
    expect(problem.code).toBe('cross_site_request');
  });
});
