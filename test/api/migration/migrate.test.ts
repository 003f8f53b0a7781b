// Rows from before the list index, and the migration that gives them their entries.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Caller } from '#lib/access/caller.ts';
import { jobs } from '#lib/migration/jobs.ts';
import { type ListQuery, list } from '#lib/registry/list.ts';
import { promote } from '#lib/registry/promote.ts';
import { flowKey, flowsIndex, rowItem } from '#lib/registry/row/row-items.ts';
import { rowFormat, type StoredRow } from '#lib/registry/row/stored-row.ts';
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

/** The item of a row as it was before the list index: no posting, not in the index by status, no form. */
function oldItem(row: StoredRow): Item {
  const { gsi3pk: _, gsi3sk: __, postings: ___, format: ____, ...item } = rowItem(row);
  return item;
}

async function putOldRows({ orgid }: Caller, count: number): Promise<StoredRow[]> {
  const rows = Array.from({ length: count }, () =>
    storedRow({ orgid, workspaceid, flowid: unique('flow'), tags: ['old'] }),
  );
  for (const row of rows) {
    await migrations.put(oldItem(row));
    const { flowid } = row;
    const index = { gsi1pk: flowsIndex(orgid, workspaceid), gsi1sk: flowid };
    const counts = { last_build_no: 1, build_count: 1, updated_at: row.updated_at };
    await migrations.put({
      ...flowKey(flowid, orgid, workspaceid),
      ...index,
      flowid,
      orgid,
      workspaceid,
      ...counts,
    });
  }
  return rows;
}

const found = async (caller: Caller, query: Omit<ListQuery, 'workspaceid'>) =>
  (await list(caller, { workspaceid, limit: 100, ...query })).items.map((row) => row.a2aregistryid).sort();
const idsOf = (rows: readonly StoredRow[]) => rows.map((row) => row.a2aregistryid).sort();
const isIndexed = (item: Item) => item.format === rowFormat && item.gsi3pk !== undefined;

const queries: Omit<ListQuery, 'workspaceid'>[] = [
  { status: ['test'] },
  { visibility: ['organization'] },
  { q: 'echo' },
];

describe('the migration list-index', () => {
  test('lets lists find the rows of every organisation by status and by what their cards say', async () => {
    const [one, other] = [newCaller(), newCaller()];
    const [rows, others] = [await putOldRows(one, 12), await putOldRows(other, 3)];
    expect(await found(one, { status: ['test'] })).toEqual([]);
    const { state, failed } = await runToEnd(migrations, 'list-index');
    expect({ state, failed }).toEqual({ state: 'done', failed: 0 });
    for (const query of queries) {
      expect(await found(one, query)).toEqual(idsOf(rows));
      expect(await found(other, query)).toEqual(idsOf(others));
    }
  });

  test('changes nothing that callers see', async () => {
    const [row] = await putOldRows(newCaller(), 1);
    const before = oldItem(row as StoredRow);
    await runToEnd(migrations, 'list-index');
    const [after] = await migrations.readItems(String(before.pk));
    expect(after).toMatchObject(before);
  });

  test('has nothing to do the second time', async () => {
    await putOldRows(newCaller(), 7);
    expect((await runToEnd(migrations, 'list-index')).changed).toBeGreaterThanOrEqual(7);
    expect(await runToEnd(migrations, 'list-index')).toMatchObject({ state: 'done', changed: 0, failed: 0 });
  });

  test('keeps a promotion that came between reading a row and writing it', async () => {
    const caller = newCaller();
    const [row] = await putOldRows(caller, 1);
    const item = oldItem(row as StoredRow);
    await promote(caller, String(item.a2aregistryid), { at: new Date().toISOString() });
    expect(await jobs['list-index'].rewrite(item)).toBe('changed');
    expect(await found(caller, { status: ['live'] })).toEqual([item.a2aregistryid]);
    expect(await found(caller, { status: ['test'] })).toEqual([]);
  });

  test('leaves a row deleted that was deleted in between', async () => {
    const item = oldItem(storedRow({ orgid: unique('org'), workspaceid }));
    expect(await jobs['list-index'].rewrite(item)).toBe('gone');
    expect(await migrations.readItems(String(item.pk))).toEqual([]);
  });
});

describe('a process that is killed', () => {
  test('at any of its calls is continued by the next, once it holds the job no more', async () => {
    let kills = 0;
    for (let killedAfter = 1; ; killedAfter = Math.ceil(killedAfter * 1.4)) {
      const caller = newCaller();
      const rows = await putOldRows(caller, 6);
      const killed = await migrations.slice('list-index', { killedAfter }).catch(() => undefined);
      if (killed) break;
      kills += 1;
      migrations.pass(60_001);
      expect((await runToEnd(migrations, 'list-index')).state).toBe('done');
      const items = await migrations.readItems('AGENT#');
      expect(items.filter(({ orgid }) => orgid === caller.orgid).every(isIndexed)).toBe(true);
      expect(await found(caller, { status: ['test'] })).toEqual(idsOf(rows));
      expect(await found(caller, { q: 'echo' })).toEqual(idsOf(rows));
    }
    expect(kills).toBeGreaterThan(5);
  });

  test('keeps others from the job for a minute at most', async () => {
    await putOldRows(newCaller(), 20);
    await migrations.slice('list-index', { killedAfter: 8 }).catch(() => undefined);
    const held = await migrations.slice('list-index');
    expect(held).toMatchObject({ state: 'running', is_held: true });
    expect(await migrations.slice('list-index', { action: 'status' })).toEqual(held);
    migrations.pass(60_001);
    expect((await runToEnd(migrations, 'list-index')).state).toBe('done');
  });
});

describe('a slice', () => {
  test('uses no more write units in a second than it may, over all of its processes', async () => {
    await putOldRows(newCaller(), 30);
    const startedAt = migrations.now();
    const { changed } = await runToEnd(migrations, 'list-index', { writeUnits: 10 });
    expect(changed).toBeGreaterThanOrEqual(30);
    // Each row is in three indexes, and takes a unit in each; each of its postings takes one.
    const unitsMin = (changed - 5) * 6;
    expect(migrations.now() - startedAt).toBeGreaterThan((unitsMin / 10) * 1_000);
  });

  test('counts an item that it cannot read, names it, and continues with the others', async () => {
    const caller = newCaller();
    const rows = await putOldRows(caller, 6);
    const { card: _, ...broken } = oldItem(storedRow({ orgid: caller.orgid, workspaceid }));
    await migrations.put(broken);
    expect(await runToEnd(migrations, 'list-index')).toMatchObject({
      state: 'done',
      failed: 1,
      failures: [broken.pk],
    });
    await migrations.put({ pk: broken.pk, sk: broken.sk });
    expect(await found(caller, { status: ['test'] })).toEqual(idsOf(rows));
  });

  test('that only continues does not begin a job that is done', async () => {
    const done = await runToEnd(migrations, 'list-index');
    await putOldRows(newCaller(), 1);
    expect(await migrations.slice('list-index', { action: 'continue' })).toEqual(done);
  });
});
