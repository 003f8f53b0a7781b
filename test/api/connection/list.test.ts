import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { newCaller, type TestCaller } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { bearer, listConnections, putConnection } from '#test/support/connections.ts';

describe('200', () => {
  test('the list of a workspace without connections is empty', async () => {
    expect(await listConnections(await newCaller())).toEqual([]);
  });

  test('shows the connections of the workspace by name, and those of the caller', async () => {
    const caller = await newCaller();
    for (const name of ['mail', 'crm']) await putConnection(caller, name, bearer());
    await putConnection(caller, 'drive', bearer('mine', { scope: 'user' }));
    const names = (await listConnections(caller)).map(({ name, scope }) => `${scope} ${name}`);
    expect(names).toEqual(['organization crm', 'organization mail', 'user drive']);
  });

  test('does not show those of other callers, workspaces and organisations', async () => {
    const caller = await newCaller();
    const { orgid, workspaceid } = caller;
    await putConnection(caller, 'drive', bearer('mine', { scope: 'user' }));
    await putConnection({ ...caller, workspaceid: 'ws_other' }, 'mail', bearer());
    const colleague = { ...(await newCaller({ orgid })), workspaceid };
    const stranger = { ...(await newCaller()), workspaceid };
    expect(await listConnections(colleague)).toEqual([]);
    expect(await listConnections(stranger)).toEqual([]);
  });
});

/** All pages from the first to the last: the cursor of each asks for the next. */
async function readPages(caller: TestCaller, limit?: number) {
  const pages: z.infer<typeof page>[] = [];
  let cursor: string | undefined;
  do {
    const query = {
      workspaceid: caller.workspaceid,
      ...(limit !== undefined && { limit: String(limit) }),
      ...(cursor !== undefined && { cursor }),
    };
    const { body } = await call('listConnections', { key: caller.key, query });
    pages.push(page.parse(body));
    cursor = pages.at(-1)?.nextCursor;
  } while (cursor !== undefined);
  return pages;
}

/** Ten at once. */
async function storeAll(caller: TestCaller, names: readonly string[], body: object) {
  for (let n = 0; n < names.length; n += 10)
    await Promise.all(names.slice(n, n + 10).map((name) => putConnection(caller, name, body)));
}

const page = z.strictObject({
  items: z.array(z.looseObject({ name: z.string(), scope: z.string() })),
  nextCursor: z.string().optional(),
});

describe('pages', () => {
  const stored = [
    ['organization', 'crm'],
    ['organization', 'drive'],
    ['organization', 'mail'],
    ['user', 'crm'],
    ['user', 'notes'],
  ] as const;
  const ids = stored.map(([scope, name]) => `${scope} ${name}`);

  async function storedConnections() {
    const caller = await newCaller();
    // In between are connections of other keys, which belong to no page of the caller.
    const colleagues = [caller.orgid, caller.orgid, caller.orgid].map(
      async (orgid) => await newCaller({ orgid }),
    );
    for (const { key } of await Promise.all(colleagues))
      await putConnection({ ...caller, key }, 'theirs', bearer('theirs', { scope: 'user' }));
    for (const [scope, name] of stored) await putConnection(caller, name, bearer('ours', { scope }));
    return caller;
  }

  test.each([1, 2, 3, 4, 5, 200])('of %i have every connection exactly once', async (limit) => {
    const pages = await readPages(await storedConnections(), limit);
    expect(pages.flatMap(({ items }) => items.map(({ scope, name }) => `${scope} ${name}`))).toEqual(ids);
    expect(pages.map(({ items }) => items.length)).toEqual(
      Array.from({ length: Math.ceil(ids.length / limit) }, (_, n) =>
        Math.min(limit, ids.length - n * limit),
      ),
    );
  });

  test('continue after a connection that was deleted in the meantime', async () => {
    const caller = await storedConnections();
    const { key, workspaceid } = caller;
    const ask = async (more: object) =>
      page.parse((await call('listConnections', { key, query: { workspaceid, limit: '2', ...more } })).body);
    const { nextCursor } = await ask({});
    await call('deleteConnection', { key, params: { name: 'drive' }, query: { workspaceid } });
    const { items } = await ask({ cursor: nextCursor });
    expect(items.map(({ scope, name }) => `${scope} ${name}`)).toEqual(ids.slice(2, 4));
  });

  test('have 100 connections by default, and link to the next page in the Link header', async () => {
    const caller = await newCaller();
    const { key, workspaceid } = caller;
    const names = Array.from({ length: 101 }, (_, n) => `c_${String(n).padStart(3, '0')}`);
    await storeAll(caller, names, bearer());
    const { body, headers } = await call('listConnections', { key, query: { workspaceid } });
    expect(body.items.map(({ name }) => name)).toEqual(names.slice(0, 100));
    expect(headers.get('link')).toBe(
      `<?${new URLSearchParams({ workspaceid, cursor: body.nextCursor ?? '' })}>; rel="next"`,
    );
  });

  test('end before the answer is too large', async () => {
    const caller = await newCaller();
    const labels = Array.from({ length: 54 }, () => 'x'.repeat(60)).join('.');
    const hosts = Array.from({ length: 50 }, (_, n) => `h${n}.${labels}.example`);
    const names = Array.from({ length: 28 }, (_, n) => `c_${String(n).padStart(3, '0')}`);
    await storeAll(caller, names, bearer('large', { hosts }));
    const pages = await readPages(caller, 200);
    expect(pages.length).toBeGreaterThan(1);
    for (const each of pages) expect(JSON.stringify(JSON.stringify(each)).length).toBeLessThan(6 * 1024 ** 2);
    expect(pages.flatMap(({ items }) => items.map(({ name }) => name))).toEqual(names);
  });
});

describe('400', () => {
  test.each([
    ['limit', { limit: '0' }],
    ['limit', { limit: '201' }],
    ['limit', { limit: '1e2' }],
    ['limit', { limit: '' }],
    ['cursor', { cursor: 'bm90IGEgY3Vyc29y' }],
    ['cursor', { cursor: 'x'.repeat(2_000) }],
  ])('an invalid %s is reported: %j', async (name, more) => {
    const { key, workspaceid } = await newCaller();
    const { problem } = await call('listConnections', { key, query: { workspaceid, ...more } });
    expect(problem).toMatchObject({
      status: 400,
      code: 'validation_failed',
      errors: [{ pointer: `/query/${name}` }],
    });
  });
});

describe('403', () => {
  test('a key for another workspace', async () => {
    const { key } = await newCaller({ workspaces: ['ws_a'] });
    const { problem } = await call('listConnections', { key, query: { workspaceid: 'ws_b' } });
    expect(problem.code).toBe('permission_denied');
  });
});
