// What a search reads where thousands of agents share a word: counted between the rule, which runs in this process, and
// DynamoDB.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Caller } from '#lib/access/caller.ts';
import { postingsMax } from '#lib/discovery/live-words.ts';
import { roundsMax } from '#lib/discovery/page.ts';
import { wordsMax } from '#lib/discovery/question.ts';
import { type SearchQuery, search } from '#lib/discovery/search.ts';
import type { StoredRow } from '#lib/registry/row/stored-row.ts';
import { unique } from '#test/support/caller.ts';
import { type CapacityMeter, startCapacityMeter } from '#test/support/capacity-meter.ts';
import { liveRow, putLive } from '#test/support/live-agents.ts';

const newCaller = (): Caller => ({
  id: unique('key'),
  orgid: unique('org'),
  workspaces: '*',
  scopes: new Set(),
});
const [caller, hostile] = [newCaller(), newCaller()];
/** A beginning that no other test's agents have. */
const own = unique('w').replace('_', '');
const long = `${own}${'x'.repeat(200)}`;
const size = 2_000;

const agent = (n: number, name: string, some: Partial<StoredRow> = {}): StoredRow =>
  liveRow({ orgid: caller.orgid, flowid: `flow-${n}`, name, ...some });

/** All have one word. Of the special ones each has another, and half the weight of the common one. */
const special = {
  rare: agent(size, `${own}common rare${own} with some more words here now`),
  unicode: agent(size + 1, `${own}common 翻译${own} Größe${own}`),
  long: agent(size + 2, `${own}common ${long}`),
  open: agent(size + 3, `${own}common open${own}`, { visibility: 'public' }),
};
const theirs = Array.from({ length: 300 }, (_, n) =>
  liveRow({ orgid: hostile.orgid, flowid: `flow-${n}`, name: `${own}common`, visibility: 'public' }),
);

let meter: CapacityMeter;

beforeAll(async () => {
  const common = Array.from({ length: size }, (_, n) => agent(n, `${own}common`));
  await putLive([...common, ...Object.values(special), ...theirs]);
  const upstream = process.env.AWS_ENDPOINT_URL_DYNAMODB;
  if (!upstream) throw new Error('This test needs the local host: run it without BASE_URL.');
  meter = await startCapacityMeter(upstream);
  process.env.AWS_ENDPOINT_URL_DYNAMODB = meter.url;
});
afterAll(async () => await meter.close());

async function cost(query: SearchQuery, as: Caller = caller) {
  meter.reset();
  const { hits, nextCursor } = await search(as, query);
  return { ids: hits.map(({ row }) => row.a2aregistryid), nextCursor, ...meter.count };
}

/** The bound of docs/aws-calls.md: of a page of ten agents whose rows have at most 4 KB. */
const unitsOfWord = 2 * Math.ceil((postingsMax * 300) / 8_192);
const unitsOfRound = 11 * 2;

describe('a search among 2,000 agents with a common word', () => {
  test('reads 250 postings of the word in each scope, the flows and the rows of a page', async () => {
    const { ids, queries, batches, readUnits, items } = await cost({ q: `${own}common` });
    expect(ids).toHaveLength(10);
    expect([queries, batches, items]).toEqual([2, 2, 2 * postingsMax + 2 * 11]);
    expect(readUnits).toBeLessThanOrEqual(unitsOfWord + unitsOfRound);
  });

  test('finds the agent with a rare word too, first', async () => {
    const { ids, queries, batches, readUnits } = await cost({ q: `${own}common rare${own}` });
    expect(ids[0]).toBe(special.rare.a2aregistryid);
    expect([queries, batches]).toEqual([4, 2]);
    expect(readUnits).toBeLessThanOrEqual(2 * unitsOfWord + unitsOfRound);
  });

  test('reads no more for a question of 500 characters than its bound says', async () => {
    const q = Array.from({ length: 60 }, (_, n) => `${own.slice(0, 4)}${n}`).join(' ');
    const { queries, batches, readUnits } = await cost({ q: `${own}common ${q}`.slice(0, 500) });
    expect(queries).toBe(2 * wordsMax);
    expect(batches).toBeLessThanOrEqual(2);
    expect(readUnits).toBeLessThanOrEqual(wordsMax * unitsOfWord + unitsOfRound);
  });

  test('with a filter that no agent passes ends after five rounds, or the postings that it read', async () => {
    const { ids, batches, readUnits } = await cost({ q: `${own}common`, output_mode: ['image/png'] });
    expect(ids).toEqual([]);
    expect(batches).toBeLessThanOrEqual(2 * roundsMax);
    expect(readUnits).toBeLessThanOrEqual(unitsOfWord + roundsMax * unitsOfRound);
  });

  test.each([
    ['the beginning of a word', `rare${own.slice(0, -2)}`, special.rare],
    ['a word of Chinese characters', '翻译', special.unicode],
    ['a word with an umlaut, in another case', `GRÖSSE${own}`, undefined],
    ['the same without its accent', `große${own}`, special.unicode],
    ['a word that is longer than a key has room for', long, special.long],
  ])('finds an agent by %s', async (_what, q, wanted) => {
    const { ids, readUnits } = await cost({ q: `${own}common ${q}` });
    if (wanted) expect(ids[0]).toBe(wanted.a2aregistryid);
    expect(readUnits).toBeLessThanOrEqual(3 * unitsOfWord + unitsOfRound);
  });

  test('pages without gaps or duplicates as far as postings are read', async () => {
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await cost({ q: `${own}common`, visibility: 'organization', limit: 50, cursor });
      seen.push(...page.ids);
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen.length).toBe(postingsMax);
  });

  test('without a question lists them all, newest first, a page at a time', async () => {
    const first = await cost({ visibility: 'organization' });
    const second = await cost({ visibility: 'organization', cursor: first.nextCursor });
    expect([first.queries, first.batches]).toEqual([1, 1]);
    const ids = [...first.ids, ...second.ids];
    expect(ids).toHaveLength(20);
    expect(ids).toEqual(ids.toSorted().reverse());
  });
});

describe('agents of another organisation', () => {
  test('do not crowd out those of the own organisation, however many have the word', async () => {
    const { ids } = await cost({ q: `${own}common open${own}` });
    expect(ids[0]).toBe(special.open.a2aregistryid);
    const own_ = await cost({ q: `${own}common`, visibility: 'organization' });
    expect(own_.ids).toHaveLength(10);
  });

  test('are found if they are public only', async () => {
    const { ids } = await cost({ q: `${own}common`, limit: 50 }, hostile);
    expect(ids).not.toContain(special.rare.a2aregistryid);
    expect((await cost({ q: `open${own}` }, hostile)).ids).toEqual([special.open.a2aregistryid]);
    expect((await cost({ q: `rare${own}` }, hostile)).ids).toEqual([]);
  });
});
