// The promise of pages, looked for in random histories: while rows come and go between pages, those that stay come exactly once, in order, and
// no page but the last is short. The rule runs in this process, against the embedded DynamoDB.
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Caller } from '#lib/access/caller.ts';
import { type ListQuery, list } from '#lib/registry/list.ts';
import type { Visibility } from '#lib/registry/row.ts';
import type { StoredRow } from '#lib/registry/stored.ts';
import { unique } from '#test/support/caller.ts';
import { rowWriter, storedRow } from '#test/support/stored-rows.ts';

const seed = Number(process.env.SEED ?? Date.now() % 1_000_000_000);

/** Few moments, so that rows share them and only their ids tell them apart. */
const newcomer: fc.Arbitrary<Newcomer> = fc.record({
  moment: fc.nat(5),
  flowid: fc.constantFrom('a', 'b', 'c'),
  visibility: fc.constantFrom<Visibility[]>('public', 'organization'),
});
interface Newcomer {
  readonly moment: number;
  readonly flowid: string;
  readonly visibility: Visibility;
}

const history = fc.record({
  first: fc.array(newcomer, { minLength: 0, maxLength: 25 }),
  /** Before each next page: rows that come, and places among all rows of those that go. */
  between: fc.array(
    fc.record({ come: fc.array(newcomer, { maxLength: 3 }), go: fc.array(fc.nat(), { maxLength: 3 }) }),
    { minLength: 30, maxLength: 30 },
  ),
  limit: fc.integer({ min: 1, max: 6 }),
  sort: fc.constantFrom<('created_at' | '-created_at')[]>('created_at', '-created_at'),
  flowid: fc.constantFrom(undefined, ['a'], ['a', 'b'], ['c', 'b', 'a']),
  visibility: fc.constantFrom<(Visibility[] | undefined)[]>(
    undefined,
    ['public'],
    ['public', 'organization'],
  ),
});
type History = typeof history extends fc.Arbitrary<infer T> ? T : never;

let writer: ReturnType<typeof rowWriter>;
beforeAll(() => {
  const upstream = process.env.AWS_ENDPOINT_URL_DYNAMODB;
  if (!upstream) throw new Error('This test needs the local host: run it without BASE_URL.');
  writer = rowWriter(upstream);
});

async function play({ first, between, limit, ...asked }: History): Promise<void> {
  const caller: Caller = { id: unique('key'), orgid: unique('org'), workspaces: '*', scopes: new Set() };
  const workspaceid = unique('ws');
  const query: ListQuery = { workspaceid, limit, ...asked };
  const present = new Map<string, StoredRow>();
  const come = async ({ moment, ...some }: Newcomer) => {
    const created_at = new Date(Date.UTC(2026, 0, 1) + moment).toISOString();
    const row = storedRow({ orgid: caller.orgid, workspaceid, created_at, ...some });
    await writer.put(row);
    present.set(row.a2aregistryid, row);
  };
  const go = async (place: number) => {
    const row = [...present.values()][place % Math.max(1, present.size)];
    if (!row) return;
    await writer.remove(row);
    present.delete(row.a2aregistryid);
  };
  for (const each of first) await come(each);
  const fromTheStart = new Set(present.keys());
  const seen: StoredRow[] = [];
  let cursor: string | undefined;
  for (const change of between) {
    const page = await list(caller, { ...query, cursor });
    if (page.nextCursor !== undefined) expect(page.items).toHaveLength(limit);
    seen.push(...page.items);
    cursor = page.nextCursor;
    if (cursor === undefined) break;
    for (const each of change.come) await come(each);
    for (const place of change.go) await go(place);
  }
  check(seen, asked, cursor === undefined ? [...fromTheStart].flatMap((id) => present.get(id) ?? []) : []);
}

function check(
  seen: readonly StoredRow[],
  asked: Omit<ListQuery, 'workspaceid'>,
  stayed: readonly StoredRow[],
) {
  const positions = seen.map((row) => `${row.created_at}#${row.a2aregistryid}`);
  const inOrder = [...new Set(positions)].sort();
  expect(positions).toEqual(asked.sort === 'created_at' ? inOrder : inOrder.reverse());
  const isWanted = (row: StoredRow) =>
    (asked.flowid?.includes(row.flowid) ?? true) && (asked.visibility?.includes(row.visibility) ?? true);
  expect(seen.filter((row) => !isWanted(row))).toEqual([]);
  const ids = new Set(seen.map((row) => row.a2aregistryid));
  expect(stayed.filter((row) => isWanted(row) && !ids.has(row.a2aregistryid))).toEqual([]);
}

describe(`pages never skip or repeat a row (SEED=${seed})`, () => {
  test('in every history of rows that come and go', { timeout: 60_000 }, async () => {
    await fc.assert(fc.asyncProperty(history, play), { seed, numRuns: 60, endOnFailure: true });
  });
});
