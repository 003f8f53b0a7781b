// Pages of random histories, compared with a list in memory: with any filter, and while rows are created, changed
// and deleted between pages, each page is full and begins exactly where the one before ended. Some changes fail
// midway, before their row is written or after. The rule runs in this process, against the embedded DynamoDB.
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import type { Caller } from '#lib/access/caller.ts';
import { cardWithoutUrl } from '#lib/registry/card/published-card.ts';
import { type ListQuery, list } from '#lib/registry/list.ts';
import { listPosition } from '#lib/registry/row/row-items.ts';
import type { Status, StoredRow, Visibility } from '#lib/registry/row/stored-row.ts';
import { card } from '#test/support/builders.ts';
import { unique } from '#test/support/caller.ts';
import { seed } from '#test/support/seed.ts';
import { rowWriter, storedRow } from '#test/support/stored-rows.ts';

/** What a row says of itself. */
const traits = fc.record({
  status: fc.constantFrom<Status[]>('test', 'live'),
  visibility: fc.constantFrom<Visibility[]>('public', 'organization'),
  tags: fc.subarray(['red', 'green', 'blue']),
  words: fc.subarray(['refund', 'invoice']),
});
type Traits = typeof traits extends fc.Arbitrary<infer T> ? T : never;
/** Few moments, so that rows share them and only their ids tell them apart. */
const newcomer = fc.record({ moment: fc.nat(5), flowid: fc.constantFrom('a', 'b', 'c'), traits });
type Newcomer = typeof newcomer extends fc.Arbitrary<infer T> ? T : never;

/** Rows that come, and places among all rows of those that go or become others. */
const change = fc.oneof(
  fc.record({ kind: fc.constant('come' as const), newcomer, isCrash: fc.boolean() }),
  fc.record({ kind: fc.constant('go' as const), place: fc.nat() }),
  fc.record({ kind: fc.constant('become' as const), place: fc.nat(), traits, isCrash: fc.boolean() }),
  fc.record({ kind: fc.constant('attempt' as const), place: fc.nat(), traits }),
);
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;

const some = <T>(...values: T[]) => fc.option(fc.constantFrom(...values), { nil: undefined, freq: 1 });
const question = fc.record({
  sort: fc.constantFrom<('created_at' | '-created_at')[]>('created_at', '-created_at'),
  limit: fc.constantFrom(1, 2, 5),
  flowid: some(['a'], ['a', 'b'], ['c', 'b', 'a']),
  status: some<Status[]>(['live'], ['test'], ['test', 'live']),
  visibility: some<Visibility[]>(['public'], ['public', 'organization']),
  tag: some(['red'], ['RED', 'green'], ['blue', 'green', 'red']),
  q: some('refunds', 'the refund of an invoice'),
});
type Question = typeof question extends fc.Arbitrary<infer T> ? T : never;

const history = fc.record({
  first: fc.array(newcomer, { maxLength: 30 }),
  /** Before the first page, so that there is much that is not true any more. */
  before: fc.array(change, { maxLength: 30 }),
  between: fc.array(fc.array(change, { maxLength: 4 }), { minLength: 30, maxLength: 30 }),
  question,
});

let writer: ReturnType<typeof rowWriter>;
beforeAll(() => {
  const upstream = process.env.AWS_ENDPOINT_URL_DYNAMODB;
  if (!upstream) throw new Error('This test needs the local host: run it without BASE_URL.');
  writer = rowWriter(upstream);
});

interface World {
  readonly caller: Caller;
  readonly workspaceid: string;
  readonly rows: Map<string, { readonly row: StoredRow; readonly traits: Traits }>;
}

const toSearched = ({ words, tags, ...rest }: Traits) => ({
  ...rest,
  tags,
  card: JSON.stringify(cardWithoutUrl(card({ name: ['Agent', ...words].join(' '), tags }), undefined)),
});

async function come(world: World, { moment, flowid, traits }: Newcomer, isCrash = false): Promise<void> {
  const { caller, workspaceid, rows } = world;
  const created_at = new Date(Date.UTC(2026, 0, 1) + moment).toISOString();
  const row = storedRow({ orgid: caller.orgid, workspaceid, created_at, flowid, ...toSearched(traits) });
  if (isCrash) return await writer.putPostings(row);
  await writer.put(row);
  rows.set(row.a2aregistryid, { row, traits });
}

async function apply(world: World, change: Change): Promise<void> {
  if (change.kind === 'come') return await come(world, change.newcomer, change.isCrash);
  const { rows } = world;
  const chosen = [...rows.values()][change.place % Math.max(1, rows.size)];
  if (!chosen) return;
  const { row } = chosen;
  if (change.kind === 'go') {
    await writer.remove(row);
    rows.delete(row.a2aregistryid);
    return;
  }
  const next = { ...row, ...toSearched(change.traits), version: row.version + 1 };
  if (change.kind === 'attempt') return await writer.putPostings(next);
  const after = await writer.replace(row, next, change.isCrash);
  rows.set(row.a2aregistryid, { row: after, traits: change.traits });
}

/** The list as anybody would write it who has all rows in memory. */
function expected({ rows }: World, { flowid, status, visibility, tag, q, sort }: Question): string[] {
  const words = q === undefined ? [] : q === 'refunds' ? ['refund'] : ['refund', 'invoice'];
  const fitting = [...rows.values()].filter(
    ({ row, traits }) =>
      (flowid?.includes(row.flowid) ?? true) &&
      (status?.includes(traits.status) ?? true) &&
      (visibility?.includes(traits.visibility) ?? true) &&
      (tag?.some((each) => traits.tags.includes(each.toLowerCase())) ?? true) &&
      words.every((word) => traits.words.includes(word)),
  );
  const places = fitting.map(({ row }) => listPosition(row)).sort();
  return sort === 'created_at' ? places : places.reverse();
}

async function play({
  first,
  before,
  between,
  question,
}: typeof history extends fc.Arbitrary<infer T> ? T : never) {
  const caller: Caller = { id: unique('key'), orgid: unique('org'), workspaces: '*', scopes: new Set() };
  const world: World = { caller, workspaceid: unique('ws'), rows: new Map() };
  for (const each of first) await come(world, each);
  for (const each of before) await apply(world, each);
  const { limit, ...filters } = question;
  const query: ListQuery = { workspaceid: world.workspaceid, ...filters };
  const all = await list(caller, { ...query, pagination: false });
  expect(all.items.map(listPosition)).toEqual(expected(world, question));
  let last: string | undefined;
  let cursor: string | undefined;
  for (const changes of between) {
    const page = await list(caller, { ...query, limit, cursor });
    const rest = expected(world, question).filter((place) => isBehind(place, last, question.sort));
    expect(page.items.map(listPosition)).toEqual(rest.slice(0, limit));
    expect(page.nextCursor !== undefined).toBe(rest.length > limit);
    cursor = page.nextCursor;
    if (cursor === undefined) break;
    last = decodePosition(cursor);
    expect(rest.slice(limit).filter((place) => !isBehind(place, last, question.sort))).toEqual([]);
    for (const each of changes) await apply(world, each);
  }
}

/** The length of the HMAC at the end of a cursor, in base64url. */
const macLength = 43;
/**
 * Where the next page begins: behind all that was looked at for this one, which may be more than is on it.
 */
const decodePosition = (cursor: string): string =>
  z
    .tuple([z.string()])
    .parse(JSON.parse(Buffer.from(cursor.slice(0, -macLength), 'base64url').toString()))[0];

const isBehind = (place: string, last: string | undefined, sort: Question['sort']): boolean =>
  last === undefined || (sort === 'created_at' ? place > last : place < last);

describe(`pages equal those of a list in memory (SEED=${seed})`, () => {
  test('in every history of rows that are created, deleted and changed', async () => {
    await fc.assert(fc.asyncProperty(history, play), { seed, numRuns: 150, endOnFailure: true });
  });
});
