// How lists find rows: what changes that die on their way leave behind, and rows that move between places.
// The rules run in this process, with a proxy between them and DynamoDB.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Caller } from '#lib/access/caller.ts';
import { create } from '#lib/registry/create.ts';
import { deleteRow } from '#lib/registry/delete.ts';
import { type ListQuery, list } from '#lib/registry/list.ts';
import { promote } from '#lib/registry/promote.ts';
import { rollback } from '#lib/registry/rollback.ts';
import type { StoredRow } from '#lib/registry/row/stored-row.ts';
import { update } from '#lib/registry/update.ts';
import { type AwsProxy, startAwsProxy } from '#test/support/aws-proxy.ts';
import { card, flow } from '#test/support/builders.ts';
import { unique } from '#test/support/caller.ts';
import { rowWriter, storedRow } from '#test/support/stored-rows.ts';

let proxy: AwsProxy;
let writer: ReturnType<typeof rowWriter>;
/** The call of this operation that breaks, and all after it; none when undefined. */
let dies: { readonly operation: string; readonly call: number } | undefined;
let calls = 0;
let caller: Caller;
let workspaceid: string;

beforeAll(async () => {
  const upstream = process.env.AWS_ENDPOINT_URL_DYNAMODB;
  if (!upstream) throw new Error('This test needs the local host: run it without BASE_URL.');
  writer = rowWriter(upstream);
  proxy = await startAwsProxy(upstream, (operation) => {
    if (operation !== dies?.operation) return 'pass';
    calls += 1;
    return calls < dies.call ? 'pass' : 'reset';
  });
  process.env.AWS_ENDPOINT_URL_DYNAMODB = proxy.url;
});
afterAll(async () => await proxy.close());
beforeEach(() => {
  caller = { id: unique('key'), orgid: unique('org'), workspaces: '*', scopes: new Set() };
  workspaceid = unique('ws');
});

const at = () => new Date().toISOString();
const tagged = (...tags: string[]) => card({ tags });
const newBuild = async (tags: string[], flowid = 'flow', visibility?: 'public') =>
  await create(caller, {
    body: { flowid, agent_card: tagged(...tags), flow: flow(), ...(visibility && { visibility }) },
    workspaceid,
    egress: [],
    at: at(),
  });
const retag = async ({ a2aregistryid }: StoredRow, ...tags: string[]) =>
  await update(caller, a2aregistryid, { body: { agent_card: tagged(...tags) }, egress: undefined, at: at() });
const found = async (query: Omit<ListQuery, 'workspaceid'>) =>
  (await list(caller, { workspaceid, ...query })).items.map((row) => row.a2aregistryid);

async function dying(operation: string, call: number, change: () => Promise<unknown>): Promise<void> {
  [dies, calls] = [{ operation, call }, 0];
  await expect(change()).rejects.toThrow();
  dies = undefined;
}

describe('a change that is interrupted', () => {
  test('between the postings of a new row and the row is not visible', async () => {
    await dying('TransactWriteItems', 1, () => newBuild(['red']));
    expect(await found({ tag: ['red'] })).toEqual([]);
    expect(await found({})).toEqual([]);
    const { a2aregistryid } = await newBuild(['red']);
    expect(await found({ tag: ['red'] })).toEqual([a2aregistryid]);
  });

  test('before an update is committed leaves the row to be found by its stored values', async () => {
    const row = await newBuild(['red', 'blue']);
    await dying('TransactWriteItems', 1, () => retag(row, 'green', 'blue'));
    expect(await found({ tag: ['green'] })).toEqual([]);
    expect(await found({ tag: ['red'] })).toEqual([row.a2aregistryid]);
    await retag(row, 'green');
    expect(await found({ tag: ['green'] })).toEqual([row.a2aregistryid]);
    expect(await found({ tag: ['red', 'blue'] })).toEqual([]);
  });

  test('after an update is committed does not leave the row to be found by its former values', async () => {
    const row = await newBuild(['red']);
    await dying('BatchWriteItem', 2, () => retag(row, 'green'));
    expect(await found({ tag: ['red'] })).toEqual([]);
    expect(await found({ tag: ['green'] })).toEqual([row.a2aregistryid]);
    await retag(row, 'red');
    expect(await found({ tag: ['red'] })).toEqual([row.a2aregistryid]);
  });

  test('after a deletion is committed leaves no visible row', async () => {
    const row = await newBuild(['red']);
    await dying('BatchWriteItem', 1, () => deleteRow(caller, row.a2aregistryid, { at: at() }));
    expect(await found({ tag: ['red'] })).toEqual([]);
  });
});

test('after concurrent updates the row is found by the values of the last one only', async () => {
  const row = await newBuild(['none']);
  for (let round = 0; round < 5; round += 1) {
    const colours = ['red', 'green', 'blue', 'red', 'green'];
    const outcomes = await Promise.allSettled(colours.map((colour) => retag(row, colour, 'any')));
    expect(outcomes.map(({ status }) => status)).toContain('fulfilled');
    const [now] = (await list(caller, { workspaceid })).items;
    for (const tag of new Set(colours))
      expect(await found({ tag: [tag] })).toEqual(now?.tags.includes(tag) ? [row.a2aregistryid] : []);
    expect(await found({ tag: ['any'] })).toEqual([row.a2aregistryid]);
  }
});

test('no alternative of a filter is skipped, even if another one has many stale postings', async () => {
  const rowAt = (moment: number, tag: string) =>
    storedRow({
      ...{ orgid: caller.orgid, workspaceid, tags: [tag] },
      created_at: new Date(Date.UTC(2026, 0, 1) + moment).toISOString(),
    });
  for (const moment of [9, 8]) await writer.putPostings(rowAt(moment, 'red'));
  const rows = [rowAt(7, 'red'), rowAt(6, 'blue'), rowAt(5, 'blue')];
  await writer.putMany(rows);
  const first = await list(caller, { workspaceid, tag: ['red', 'blue'], limit: 1 });
  expect(first.items.map((row) => row.created_at)).toEqual([rows[0]?.created_at]);
  const rest = await list(caller, { workspaceid, tag: ['red', 'blue'], limit: 5, cursor: first.nextCursor });
  expect(rest.items.map((row) => row.created_at)).toEqual(rows.slice(1).map((row) => row.created_at));
});

describe('a promotion', () => {
  test('changes the status of both rows in lists, as do a rollback and a deletion', async () => {
    const { a2aregistryid: first } = await newBuild([]);
    const { a2aregistryid: second } = await newBuild([]);
    const byStatus = async () => [await found({ status: ['live'] }), await found({ status: ['test'] })];
    await promote(caller, first, { at: at() });
    expect(await byStatus()).toEqual([[first], [second]]);
    await promote(caller, second, { at: at() });
    expect(await byStatus()).toEqual([[second], [first]]);
    await rollback(caller, second, { at: at() });
    expect(await byStatus()).toEqual([[first], [second]]);
    await deleteRow(caller, first, { at: at() });
    expect(await byStatus()).toEqual([[], [second]]);
  });

  test('never hides a row from a list that does not filter by status', async () => {
    const ids = [await newBuild([], 'flow', 'public'), await newBuild([], 'flow', 'public')].map(
      (row) => row.a2aregistryid,
    );
    let isOver = false;
    const promoting = (async () => {
      for (let n = 0; n < 30; n += 1) await promote(caller, ids[n % 2] ?? '', { at: at() });
      isOver = true;
    })();
    while (!isOver)
      expect(await found({ visibility: ['public'], status: ['test', 'live'], sort: 'created_at' })).toEqual(
        ids,
      );
    await promoting;
  });
});
