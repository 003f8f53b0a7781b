// What a page of the list reads, by the size of the table: counted between the rule, which runs in this process, and DynamoDB.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Caller } from '#lib/access/caller.ts';
import { type ListQuery, list } from '#lib/registry/list.ts';
import { unique } from '#test/support/caller.ts';
import { type ReadMeter, startReadMeter } from '#test/support/read-meter.ts';
import { rowWriter, storedRow } from '#test/support/stored-rows.ts';

const caller: Caller = { id: unique('key'), orgid: unique('org'), workspaces: '*', scopes: new Set() };
const sizes = [100, 1_000, 10_500] as const;
const workspaces = new Map(sizes.map((size) => [size, unique('ws')]));
let meter: ReadMeter;

/** Every hundredth row is public, and of the flow `rare`; only the oldest is live. */
const rowsOf = (size: number) =>
  Array.from({ length: size }, (_, n) =>
    storedRow({
      orgid: caller.orgid,
      workspaceid: workspaces.get(size as (typeof sizes)[number]) ?? '',
      created_at: new Date(Date.UTC(2026, 0, 1) + n * 1_000).toISOString(),
      status: n === 0 ? 'live' : 'test',
      ...(n % 100 === 0 && { visibility: 'public', flowid: 'rare' }),
    }),
  );

beforeAll(async () => {
  const upstream = process.env.AWS_ENDPOINT_URL_DYNAMODB;
  if (!upstream) throw new Error('This test needs the local host: run it without BASE_URL.');
  meter = await startReadMeter(upstream);
  process.env.AWS_ENDPOINT_URL_DYNAMODB = meter.url;
  const writer = rowWriter(upstream);
  for (const size of sizes) await writer.putMany(rowsOf(size));
}, 120_000);
afterAll(async () => await meter.close());

async function cost(size: (typeof sizes)[number], query: Omit<ListQuery, 'workspaceid'>) {
  meter.reset();
  const page = await list(caller, { workspaceid: workspaces.get(size) ?? '', ...query });
  return { ...page, queries: meter.count.queries };
}

describe('a page costs the same in a workspace of 100, 1,000 and 10,500 rows', () => {
  test.each<[string, Omit<ListQuery, 'workspaceid'>]>([
    ['without filters', { limit: 20 }],
    ['oldest first', { limit: 20, sort: 'created_at' }],
  ])('%s: one query, and one item more than the page', async (_what, query) => {
    for (const size of sizes) {
      const first = await cost(size, query);
      expect([first.items.length, first.queries]).toEqual([20, 1]);
      expect(await cost(size, { ...query, cursor: first.nextCursor })).toMatchObject({ queries: 1 });
      expect(meter.count.items).toBe(21);
    }
  });

  test('of one flow: only builds of that flow are read', async () => {
    for (const size of sizes) {
      await cost(size, { flowid: ['rare'], limit: 20 });
      expect(meter.count).toEqual({ queries: 1, items: Math.min(size / 100, 21) });
    }
  });
});

describe('what filters cost is the rows they look through', () => {
  test('a filter that many rows pass reads on only until the page is full', async () => {
    for (const size of sizes.slice(1)) {
      await cost(size, { visibility: ['public'], limit: 5 });
      expect(meter.count.items).toBeLessThanOrEqual(600);
    }
  });

  test('a filter that no row passes for long stops after 10,000 rows, and the cursor goes on from there', async () => {
    const first = await cost(10_500, { status: ['live'] });
    expect([first.items.length, meter.count.queries]).toEqual([0, 50]);
    expect(meter.count.items).toBe(10_000);
    const second = await cost(10_500, { status: ['live'], cursor: first.nextCursor });
    expect([second.items.length, second.nextCursor]).toEqual([1, undefined]);
  });

  test('the whole list is refused once it is more than 1,000 rows, whatever the table holds', async () => {
    expect((await cost(1_000, { pagination: false })).items).toHaveLength(1_000);
    await expect(cost(10_500, { pagination: false })).rejects.toMatchObject({ code: 'list_too_large' });
    expect(meter.count.items).toBeLessThan(3_000);
  });
});
