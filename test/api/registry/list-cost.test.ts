// What a page of the list reads, by the size of the table: counted between the rule, which runs in this
// process, and DynamoDB.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Caller } from '#lib/access/caller.ts';
import { cardWithoutUrl } from '#lib/registry/card/published-card.ts';
import { type ListQuery, list } from '#lib/registry/list.ts';
import { card } from '#test/support/builders.ts';
import { unique } from '#test/support/caller.ts';
import { type CapacityMeter, startCapacityMeter } from '#test/support/capacity-meter.ts';
import { rowWriter, storedRow } from '#test/support/stored-rows.ts';

const caller: Caller = { id: unique('key'), orgid: unique('org'), workspaces: '*', scopes: new Set() };
const sizes = [300, 1_000, 4_000] as const;
type Size = (typeof sizes)[number];
const workspaces = new Map(sizes.map((size) => [size, unique('ws')]));
let meter: CapacityMeter;

const cardOf = (some: object) =>
  JSON.stringify(
    cardWithoutUrl(
      card({
        description: 'x',
        skills: [{ id: 'x', name: 'x', description: 'x' }],
        defaultInputModes: ['text/plain'],
        defaultOutputModes: ['text/plain'],
        ...some,
      }),
      undefined,
    ),
  );
const plain = cardOf({ name: 'Plain agent' });
const rare = cardOf({
  name: 'Rare agent',
  tags: ['rare'],
  defaultInputModes: ['image/png'],
  defaultOutputModes: ['image/png'],
});
const [even, odd] = [cardOf({ tags: ['even'] }), cardOf({ tags: ['odd'] })];

/**
 * Ten rows are rare, spread evenly. Of the others a third is even and a third odd; only the second oldest is
 * both.
 */
const rowsOf = (size: Size) =>
  Array.from({ length: size }, (_, n) =>
    storedRow({
      orgid: caller.orgid,
      workspaceid: workspaces.get(size) ?? '',
      created_at: new Date(Date.UTC(2026, 0, 1) + n * 1_000).toISOString(),
      ...(n % (size / 10) === 0
        ? { status: 'live', visibility: 'public', flowid: 'rare', card: rare, tags: ['rare'] }
        : { card: n === 1 ? cardOf({ tags: ['even', 'odd'] }) : ([plain, even, odd][n % 3] ?? plain) }),
    }),
  );

beforeAll(async () => {
  const upstream = process.env.AWS_ENDPOINT_URL_DYNAMODB;
  if (!upstream) throw new Error('This test needs the local host: run it without BASE_URL.');
  meter = await startCapacityMeter(upstream);
  process.env.AWS_ENDPOINT_URL_DYNAMODB = meter.url;
  const writer = rowWriter(upstream);
  for (const size of sizes) await writer.putMany(rowsOf(size));
});
afterAll(async () => await meter.close());

async function cost(size: Size, query: Omit<ListQuery, 'workspaceid'>) {
  meter.reset();
  const page = await list(caller, { workspaceid: workspaces.get(size) ?? '', ...query });
  const { queries, batches, items } = meter.count;
  return { ...page, reads: [queries, batches, items] };
}

describe('a page costs the same in a workspace of 300, 1,000 and 4,000 rows, and is full', () => {
  test.each<[string, Omit<ListQuery, 'workspaceid'>, [queries: number, batches: number, items: number]]>([
    ['without filters: one query, and one item more than the page', {}, [1, 0, 6]],
    ['oldest first: the same', { sort: 'created_at' }, [1, 0, 6]],
    ['by flow: the same', { flowid: ['rare'] }, [1, 0, 6]],
    ['by status: the same', { status: ['live'] }, [1, 0, 6]],
    ['by status, oldest first: the same', { status: ['live'], sort: 'created_at' }, [1, 0, 6]],
    ['by visibility: one query of postings, and the rows', { visibility: ['public'] }, [1, 1, 12]],
    ['by tag: the same', { tag: ['rare'] }, [1, 1, 12]],
    ['by input mode: the same', { input_mode: ['image/png'] }, [1, 1, 12]],
    ['by output mode: the same', { output_mode: ['image/png'] }, [1, 1, 12]],
    ['by a word: the same', { q: 'rare' }, [1, 1, 12]],
    ['by a tag, oldest first: the same', { tag: ['rare'], sort: 'created_at' }, [1, 1, 12]],
    ['by two words: a query for each', { q: 'rare agent' }, [2, 1, 18]],
    ['by status and tag: the rows come with the status', { status: ['live'], tag: ['rare'] }, [2, 0, 12]],
    [
      'by what most rows have and what few have: as by the latter',
      { status: ['test', 'live'], output_mode: ['image/png'], q: 'agent' },
      [2, 1, 18],
    ],
  ])('%s', async (_what, query, reads) => {
    for (const size of sizes) {
      const first = await cost(size, { ...query, limit: 5 });
      expect([first.items.length, first.reads]).toEqual([5, reads]);
      expect(first.nextCursor).toBeDefined();
      const second = await cost(size, { ...query, limit: 5, cursor: first.nextCursor });
      expect(second.items).toHaveLength(5);
    }
  });

  test('also if nothing matches', async () => {
    for (const size of sizes)
      expect(await cost(size, { q: 'nobody', status: ['test'] })).toMatchObject({
        items: [],
        nextCursor: undefined,
        reads: [2, 0, 51],
      });
  });
});

test('filters that match one row at the end of many stop after 50 reads, and the cursor continues from there', async () => {
  const nobodys = Array.from({ length: 9 }, (_, n) => `tag-${n}`);
  const pages: number[] = [];
  let cursor: string | undefined;
  do {
    const page = await cost(1_000, { tag: ['even', ...nobodys], q: 'odd', limit: 1, cursor });
    expect(meter.count.queries + meter.count.batches).toBeLessThan(65);
    pages.push(page.items.length);
    cursor = page.nextCursor;
  } while (cursor !== undefined && pages.length < 20);
  expect(pages.length).toBeGreaterThan(2);
  expect(pages.filter((length) => length > 0)).toEqual([1]);
  // Read from its other end, it is found at once.
  const query = { tag: ['even', ...nobodys], q: 'odd', limit: 1, sort: 'created_at' } as const;
  expect((await cost(1_000, query)).items).toHaveLength(1);
});

test('the whole list is refused if it has more than 1,000 rows, whatever else the table has', async () => {
  expect((await cost(1_000, { pagination: false })).items).toHaveLength(1_000);
  expect((await cost(4_000, { pagination: false, tag: ['rare'] })).reads).toEqual([1, 1, 20]);
  await expect(cost(4_000, { pagination: false })).rejects.toMatchObject({ code: 'list_too_large' });
  expect(meter.count.items).toBeLessThan(3_000);
});
