// How long a removed member still gets in: the service is one process here, and the test another, which has cached the
// credentials.
import { afterEach, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { call } from '#test/support/client.ts';
import { eventFor, lambdaContext } from '#test/support/events.ts';
import { load } from '#test/support/invocation.ts';
import { newPerson } from '#test/support/person.ts';

afterEach(() => {
  vi.useRealTimers();
});

const answer = z.object({ statusCode: z.number() });

/** The status of a request that this process answers. */
async function askHere(credential: Readonly<Record<string, string>>): Promise<number> {
  const { handler } = await load(() => import('#functions/session/me.ts'));
  const { multiValueHeaders: _, ...event } = eventFor('getMe', { key: '' });
  return answer.parse(
    await Reflect.apply(handler, undefined, [{ ...event, headers: credential }, lambdaContext()]),
  ).statusCode;
}

test('a process that has cached a session, a key and a key of the key refuses all three within 45 s', async () => {
  const owner = await newPerson();
  const member = await newPerson({ orgid: owner.orgid, role: 'admin' });
  const body = { label: 'One', scopes: ['assistants.flows:read', 'apikeys:create'], workspaces: '*' };
  const { token } = (await call('createApiKey', { headers: member.page, body })).body;
  const { token: next } = (await call('createApiKey', { key: token, body })).body;
  const credentials = [{ cookie: member.page.cookie ?? '' }, { 'x-api-key': token }, { 'x-api-key': next }];
  const ask = async () => await Promise.all(credentials.map(askHere));
  expect(await ask()).toEqual([200, 200, 200]);
  await call('removeMember', { headers: owner.page, params: { userid: member.id } });
  const removed = Date.now();
  vi.useFakeTimers({ toFake: ['Date'], now: removed + 45_000 });
  expect(await ask()).toEqual([401, 401, 401]);
  vi.useRealTimers();
  const again = await newPerson({ email: member.email, orgid: owner.orgid, role: 'admin' });
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 90_000 });
  expect(await ask()).toEqual([401, 401, 401]);
  expect(await askHere({ cookie: again.page.cookie ?? '' })).toBe(200);
});

test('a demotion is noticed in the same time', async () => {
  const owner = await newPerson();
  const member = await newPerson({ orgid: owner.orgid, role: 'admin' });
  const { handler } = await load(() => import('#functions/api-key/list.ts'));
  const list = async () => {
    const { multiValueHeaders: _, ...event } = eventFor('listApiKeys', { key: '' });
    const headers = { cookie: member.page.cookie ?? '' };
    return answer.parse(await Reflect.apply(handler, undefined, [{ ...event, headers }, lambdaContext()]))
      .statusCode;
  };
  expect(await list()).toBe(200);
  const change = { params: { userid: member.id }, body: { roles: { '*': 'viewer' } } };
  expect((await call('changeMember', { headers: owner.page, ...change })).status).toBe(200);
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 45_000 });
  expect(await list()).toBe(403);
});
