import { describe, expect, test } from 'vitest';
import { newRow, promoted } from '#test/support/builders.ts';
import { newCaller, type TestCaller, unique } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';

type Query = Readonly<Record<string, string | string[]>>;

const list = async (caller: TestCaller, query: Query = {}) =>
  await call('listRegistryRows', { key: caller.key, query: { workspaceid: caller.workspaceid, ...query } });

async function pages(caller: TestCaller, query: Query): Promise<string[][]> {
  const found: string[][] = [];
  let cursor: string | undefined;
  do {
    const { body, headers } = await list(caller, { ...query, ...(cursor !== undefined && { cursor }) });
    found.push(body.items.map((row) => row.a2aregistryid));
    cursor = body.nextCursor;
    expect(headers.has('link')).toBe(cursor !== undefined);
  } while (cursor !== undefined && found.length < 20);
  return found;
}

async function registerRows(caller: TestCaller, count: number, some: object = {}): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < count; n += 1) ids.push((await newRow(caller, some)).a2aregistryid);
  return ids;
}

describe('200', () => {
  test('a workspace without rows is an empty page', async () => {
    expect((await list(await newCaller())).body).toEqual({ items: [] });
  });

  test('rows are listed newest first, completely, and without their flows', async () => {
    const caller = await newCaller();
    const older = await newRow(caller);
    const newer = await newRow(caller);
    expect((await list(caller)).body.items).toEqual([newer, older]);
  });

  test('only rows of the workspace and of the own organisation are listed', async () => {
    const caller = await newCaller();
    const neighbour = { ...(await newCaller()), workspaceid: caller.workspaceid };
    await newRow(neighbour);
    await newRow(caller, {}, unique('ws'));
    const mine = await newRow(caller);
    expect((await list(caller)).body.items.map((row) => row.a2aregistryid)).toEqual([mine.a2aregistryid]);
  });

  test('filters combine', async () => {
    const caller = await newCaller();
    const flowid = unique('flow');
    const open = await newRow(caller, { flowid, visibility: 'public' });
    const closed = await newRow(caller, { flowid, visibility: 'organization' });
    const other = await newRow(caller, { visibility: 'public' });
    await promoted(caller, open);
    const ids = async (query: Query) =>
      (await list(caller, query)).body.items.map((row) => row.a2aregistryid);
    expect(await ids({ status: 'live' })).toEqual([open.a2aregistryid]);
    expect(await ids({ status: 'test' })).toEqual([other.a2aregistryid, closed.a2aregistryid]);
    expect(await ids({ visibility: 'public' })).toEqual([other.a2aregistryid, open.a2aregistryid]);
    expect(await ids({ flowid })).toEqual([closed.a2aregistryid, open.a2aregistryid]);
    expect(await ids({ flowid, visibility: 'public', status: 'live' })).toEqual([open.a2aregistryid]);
    expect(await ids({ flowid, visibility: 'organization', status: 'live' })).toEqual([]);
    expect(await ids({ orgid: caller.orgid, limit: '200' })).toHaveLength(3);
  });

  test('pages are full until the last, and together they are the list', async () => {
    const caller = await newCaller();
    const ids = (await registerRows(caller, 7)).reverse();
    expect(await pages(caller, { limit: '3' })).toEqual([ids.slice(0, 3), ids.slice(3, 6), ids.slice(6)]);
    expect(await pages(caller, { limit: '7' })).toEqual([ids]);
    expect(await pages(caller, { limit: '1' })).toEqual(ids.map((id) => [id]));
  });

  test('pages are full also if a filter excludes most rows', async () => {
    const caller = await newCaller();
    const wanted: string[] = [];
    for (let n = 0; n < 4; n += 1) {
      await registerRows(caller, 2);
      wanted.unshift(...(await registerRows(caller, 1, { visibility: 'public' })));
    }
    expect(await pages(caller, { limit: '2', visibility: 'public' })).toEqual([
      wanted.slice(0, 2),
      wanted.slice(2),
    ]);
  });

  test('rows that are created and deleted between two pages make no other row appear twice or not at all', async () => {
    const caller = await newCaller();
    const [oldest = '', ...others] = await registerRows(caller, 5);
    const first = (await list(caller, { limit: '2' })).body;
    await newRow(caller);
    const last = first.items.at(-1)?.a2aregistryid ?? '';
    await call('deleteRegistryRow', { key: caller.key, params: { a2aregistryid: last } });
    const rest = (await list(caller, { limit: '10', cursor: first.nextCursor ?? '' })).body;
    expect(rest.items.map((row) => row.a2aregistryid)).toEqual([...others.slice(0, 2).reverse(), oldest]);
  });

  test('a page of large rows ends before it exceeds the largest answer of a function, and the next continues from there', async () => {
    const caller = await newCaller();
    const tool_config = { a: 'x'.repeat(99_000) };
    const env_variable = Object.fromEntries(
      Array.from({ length: 12 }, (_, n) => [`A${n}`, 'x'.repeat(4_000)]),
    );
    const rows = await Promise.all(
      Array.from({ length: 45 }, () => newRow(caller, { tool_config, env_variable })),
    );
    const found = await pages(caller, { limit: '200' });
    expect(found.flat().sort()).toEqual(rows.map((row) => row.a2aregistryid).sort());
    expect(found.length).toBeGreaterThan(1);
  });

  test('the Link header has the URL of the next page', async () => {
    const caller = await newCaller();
    await registerRows(caller, 2);
    const { headers, body } = await list(caller, { limit: '1' });
    const next = /^<\?(.+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1];
    expect(Object.fromEntries(new URLSearchParams(next))).toEqual({
      workspaceid: caller.workspaceid,
      limit: '1',
      cursor: body.nextCursor,
    });
  });
});

describe('400', () => {
  test('a request without a workspace is refused with that reason', async () => {
    const { problem } = await call('listRegistryRows', { key: (await newCaller()).key });
    expect(problem.errors?.map(({ pointer }) => pointer)).toEqual(['/query/workspaceid']);
  });

  test.each<[string, Query]>([
    ['status', { status: 'draft' }],
    ['visibility', { visibility: 'private' }],
    ['limit', { limit: '0' }],
    ['limit', { limit: '201' }],
    ['limit', { limit: '1e2' }],
    ['flowid', { flowid: 'agents' }],
    ['cursor', { cursor: 'bm90IGEgY3Vyc29y' }],
    ['cursor', { cursor: 'x'.repeat(2000) }],
    ['page', { page: '2' }],
    ['__proto__', { ['__proto__']: 'x' }],
  ])('an invalid %s is reported', async (name, query) => {
    const { problem } = await list(await newCaller(), query);
    expect(problem.errors?.map(({ pointer }) => pointer)).toEqual([`/query/${name}`]);
  });

  test('a cursor is valid only for the query and the organisation that it was issued to', async () => {
    const caller = await newCaller();
    await registerRows(caller, 2);
    const { nextCursor: cursor = '' } = (await list(caller, { limit: '1' })).body;
    const other = { ...(await newCaller()), workspaceid: caller.workspaceid };
    const refused = [
      await list(caller, { cursor, status: 'test' }),
      await list(caller, { cursor, flowid: unique('flow') }),
      await list({ ...caller, workspaceid: unique('ws') }, { cursor }),
      await list(other, { cursor }),
    ];
    for (const { problem } of refused) expect(problem.errors?.[0]?.pointer).toBe('/query/cursor');
    expect((await list(caller, { cursor })).body.items).toHaveLength(1);
  });
});

describe('a forged cursor', () => {
  test.each(['null', '[]', '{}', '[1]', '[1,2,3,4]', '[1,"a","b"]', '"x"', '[2,"a","b","c"]', 'x'])(
    'that holds %s is named',
    async (content) => {
      const cursor = Buffer.from(content).toString('base64url');
      expect((await list(await newCaller(), { cursor })).problem.errors?.[0]?.pointer).toBe('/query/cursor');
    },
  );
});

describe('403', () => {
  test('a list of another organisation is refused', async () => {
    expect((await list(await newCaller(), { orgid: unique('org') })).problem.code).toBe('permission_denied');
  });

  test('a key for other workspaces cannot list this one, whether it exists or not', async () => {
    const owner = await newCaller();
    await newRow(owner);
    const stranger = await newCaller({ orgid: owner.orgid, workspaces: [unique('ws')] });
    const { problem: existing } = await list({ ...stranger, workspaceid: owner.workspaceid });
    const { problem: missing } = await list({ ...stranger, workspaceid: unique('ws') });
    expect({ ...existing, instance: '' }).toEqual({ ...missing, instance: '' });
    expect(existing.code).toBe('permission_denied');
  });

  test('a key without the permission to read gets its name', async () => {
    const { problem } = await list(await newCaller({ scopes: ['assistants.flows:run'] }));
    expect(problem.detail).toContain('assistants.flows:read');
  });
});
