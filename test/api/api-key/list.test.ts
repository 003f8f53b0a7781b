import { describe, expect, test } from 'vitest';
import { newCaller, type TestCaller } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';

const list = async (caller: TestCaller, query: Readonly<Record<string, string>> = {}) =>
  await call('listApiKeys', { key: caller.key, query });
const create = async (caller: TestCaller, workspaces: '*' | string[] = '*') => {
  const body = { label: 'One', scopes: ['assistants.flows:read'], workspaces };
  return (await call('createApiKey', { key: caller.key, body })).body;
};
const readIds = (keys: readonly { keyid: string }[]) => keys.map(({ keyid }) => keyid);

describe('200', () => {
  test("the organisation's keys come newest first, without their tokens", async () => {
    const caller = await newCaller();
    await create(await newCaller());
    const { token: _older, ...older } = await create(caller);
    const { token: newest, ...newer } = await create(caller);
    const { body, text } = await list(caller);
    expect(body).toEqual({ items: [newer, older] });
    expect(text).not.toContain(newest.split('.')[2]);
  });

  test('the time of the last use is shown', async () => {
    const caller = await newCaller();
    const { token } = await create(caller);
    expect((await list(caller)).body.items[0]?.last_used_at).toBeUndefined();
    await call('listRegistryRows', { key: token, query: { workspaceid: 'ws_a' } });
    const { last_used_at = '' } = (await list(caller)).body.items[0] ?? {};
    expect(Math.abs(Date.now() - Date.parse(last_used_at))).toBeLessThan(60_000);
  });

  test('a key for some workspaces sees only keys that are for no other workspaces', async () => {
    const owner = await newCaller();
    await create(owner);
    await create(owner, ['ws_a', 'ws_c']);
    const own = await create(owner, ['ws_a']);
    const guest = await newCaller({ orgid: owner.orgid, workspaces: ['ws_a', 'ws_b'] });
    expect(readIds((await list(guest)).body.items)).toEqual([own.keyid]);
    expect((await list(owner)).body.items).toHaveLength(3);
  });

  test('all pages except the last are full, and together they are the list', async () => {
    const owner = await newCaller();
    const guest = await newCaller({ orgid: owner.orgid, workspaces: ['ws_a'] });
    const wanted: string[] = [];
    for (let n = 0; n < 5; n += 1) {
      await create(owner);
      wanted.unshift((await create(owner, ['ws_a'])).keyid);
    }
    const first = await list(guest, { limit: '3' });
    expect(readIds(first.body.items)).toEqual(wanted.slice(0, 3));
    const { nextCursor: cursor = '' } = first.body;
    expect(first.headers.get('link')).toBe(`<?limit=3&cursor=${cursor}>; rel="next"`);
    expect(readIds((await list(guest, { limit: '3', cursor })).body.items)).toEqual(wanted.slice(3));
  });
});

describe('400', () => {
  test('a cursor is valid only for the organisation that it was issued to', async () => {
    const caller = await newCaller();
    await create(caller);
    await create(caller);
    const { nextCursor: cursor = '' } = (await list(caller, { limit: '1' })).body;
    const { problem } = await list(await newCaller(), { cursor });
    expect(problem.errors?.[0]?.pointer).toBe('/query/cursor');
  });

  test.each(['limit=0', 'limit=201', 'limit=x', 'cursor=x', 'cursor=W10', 'page=2'])(
    '%s is named',
    async (pair) => {
      const [name = '', value = ''] = pair.split('=');
      const { problem } = await list(await newCaller(), { [name]: value });
      expect(problem.errors?.map(({ pointer }) => pointer)).toEqual([`/query/${name}`]);
    },
  );
});
