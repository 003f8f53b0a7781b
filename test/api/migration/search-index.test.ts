// Rows that an earlier version has written, with a search document each, and the migration that gives them postings.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Caller } from '#lib/access/caller.ts';
import { search } from '#lib/discovery/search.ts';
import { list } from '#lib/registry/list.ts';
import { flowKey, flowsIndex, rowItem } from '#lib/registry/row/row-items.ts';
import type { StoredRow } from '#lib/registry/row/stored-row.ts';
import { unique } from '#test/support/caller.ts';
import { type Item, type Migrations, runToEnd, startMigrations } from '#test/support/migrations.ts';
import { storedRow } from '#test/support/stored-rows.ts';

let migrations: Migrations;
beforeAll(async () => {
  migrations = await startMigrations();
});
afterAll(async () => await migrations.close());

const workspaceid = 'ws';
const newCaller = (): Caller => ({
  id: unique('key'),
  orgid: unique('org'),
  workspaces: '*',
  scopes: new Set(),
});

/** As form 2 was: words are postings of the workspace, and the search has a document. */
async function putFormer(caller: Caller, some: Partial<StoredRow>): Promise<StoredRow> {
  const { orgid } = caller;
  const flowid = unique('flow');
  const { postings: _, ...row } = storedRow({ orgid, workspaceid, flowid, ...some });
  const { created_at, a2aregistryid: id } = row;
  await migrations.put({ ...rowItem(row), postings: { former: ['WORD#echo'] }, format: 2 });
  await migrations.put({ pk: `WS#${orgid}#ws#WORD#echo`, sk: `${created_at}#${id}#former` });
  await migrations.put({
    ...flowKey(flowid, orgid, workspaceid),
    ...{ gsi1pk: flowsIndex(orgid, workspaceid), gsi1sk: flowid, flowid, orgid, workspaceid },
    ...{ last_build_no: 1, build_count: 1, updated_at: row.updated_at },
    ...(row.status === 'live' && { live: id, live_version: 1 }),
  });
  const pk = row.status === 'live' ? `SEARCH#LIVE#${orgid}` : `SEARCH#BUILD#${orgid}`;
  await migrations.put({ pk, sk: id, id, orgid, workspaceid, gsi1pk: pk, gsi1sk: row.updated_at });
  return row;
}

const find = async (caller: Caller, query: Parameters<typeof search>[1]) =>
  (await search(caller, query)).hits.map(({ row }) => row.a2aregistryid);

describe('the migration search-index', () => {
  test('lets the search and lists find rows by their words, and deletes the documents', async () => {
    const [caller, other] = [newCaller(), newCaller()];
    const live = await putFormer(caller, { status: 'live' });
    const open = await putFormer(caller, { status: 'live', visibility: 'public' });
    const build = await putFormer(caller, {});
    expect(await find(caller, { q: 'echo' })).toEqual([]);
    const { state, failed } = await runToEnd(migrations, 'search-index');
    expect({ state, failed }).toEqual({ state: 'done', failed: 0 });
    const both = [live.a2aregistryid, open.a2aregistryid].sort();
    expect((await find(caller, { q: 'echo' })).toSorted()).toEqual(both);
    expect((await find(caller, {})).toSorted()).toEqual(both);
    expect(await find(caller, { q: 'echo', status: 'test' })).toEqual([build.a2aregistryid]);
    expect(await find(caller, { status: 'test' })).toEqual([build.a2aregistryid]);
    expect(await find(other, { q: 'echo' })).toEqual([open.a2aregistryid]);
    expect((await list(caller, { workspaceid, q: 'echo' })).items).toHaveLength(3);
    const former = (await migrations.readItems('')).filter(
      ({ pk, gsi1pk }: Item) => String(gsi1pk).startsWith('SEARCH#') || String(pk).includes('#WORD#echo'),
    );
    expect(former).toEqual([]);
  });

  test('has nothing to do the second time', async () => {
    await putFormer(newCaller(), { status: 'live' });
    expect((await runToEnd(migrations, 'search-index')).changed).toBeGreaterThanOrEqual(2);
    expect(await runToEnd(migrations, 'search-index')).toMatchObject({
      state: 'done',
      changed: 0,
      failed: 0,
    });
  });
});
