import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toMatches } from '#lib/discovery/live-words.ts';
import { parseQuestion, scoreRow, wordsMax } from '#lib/discovery/question.ts';
import { rank, type WordMatches } from '#lib/discovery/rank.ts';
import { livePostingKeys } from '#lib/registry/search-index/live-postings.ts';
import { sampleAgents } from '#test/support/sample-agents.ts';
import { matchSamples } from '#test/support/sample-postings.ts';
import { seed } from '#test/support/seed.ts';

type Weights = Readonly<Record<string, number>>;
type Named = { readonly id: string };

const found = (weights: Weights, isWhole = true): WordMatches<Named> => ({
  matches: Object.entries(weights).map(([id, weight]) => ({ candidate: { id }, weight })),
  isWhole,
});
const ids = (...words: WordMatches<Named>[]) => rank(words).ranked.map(({ candidate }) => candidate.id);

const claim = { a: 10, b: 10, c: 60 };
const parcel = { a: 60, b: 20 };

test('candidates with more weight, rarer words and more words of the question rank first', () => {
  expect(ids(found(parcel))).toEqual(['a', 'b']);
  expect(ids(found(claim), found(parcel))).toEqual(['a', 'b', 'c']);
});

test('a word that many have counts less than one that few have', () => {
  const common = Object.fromEntries(Array.from({ length: 250 }, (_, n) => [`n${n}`, 40]));
  expect(ids(found(common), found({ rare: 40 }))[0]).toBe('rare');
});

test('equal scores are in the order of their ids', () => {
  expect(ids(found({ b: 10, a: 10, c: 10 }))).toEqual(['a', 'b', 'c']);
});

test('with the rarities of an earlier ranking, candidates score as there, whatever was registered since', () => {
  const scores = (words: readonly WordMatches<Named>[], former?: readonly number[]) =>
    rank(words, former).ranked.map(({ candidate, score }) => [candidate.id, score]);
  const before = [found(parcel), found(claim)];
  const { rarities } = rank(before);
  const after = [found({ ...parcel, d: 5, e: 5 }), found(claim)];
  const isOld = ([id]: (string | number)[]) => 'abc'.includes(String(id));
  expect(scores(after, rarities).filter(isOld)).toEqual(scores(before));
  expect(scores(after).filter(isOld)).not.toEqual(scores(before));
});

test(`the order of the postings of a word changes nothing (SEED=${seed})`, () => {
  const weights = fc.dictionary(fc.constantFrom('p', 'q', 'r', 's', 't'), fc.integer({ min: 1, max: 450 }));
  fc.assert(
    fc.property(fc.array(weights, { minLength: 1, maxLength: 4 }), (words) => {
      const inOrder = words.map((each) => found(each));
      const reversed = inOrder.map(({ matches, isWhole }) => ({ matches: matches.toReversed(), isWhole }));
      expect(rank(reversed)).toEqual(rank(inOrder));
    }),
    { seed, numRuns: 200 },
  );
});

describe('the card of an agent scores as its postings do', () => {
  test.each(['where is my order', 'invoi', 'translate a document into German'])('for "%s"', (q) => {
    const question = parseQuestion(q);
    const ranking = rank(question.words.map(matchSamples));
    expect(ranking.ranked.length).toBeGreaterThan(0);
    const rows = new Map(sampleAgents.map((row) => [row.a2aregistryid, row]));
    for (const { candidate, score } of ranking.ranked) {
      const row = rows.get(candidate.id);
      expect(row && scoreRow(row, question, ranking)).toBeCloseTo(score, 3);
    }
  });

  test('and not at all where it has none of the words', () => {
    const question = parseQuestion('quantum');
    const [row] = sampleAgents;
    const ranking = rank(question.words.map(matchSamples));
    expect(row && scoreRow(row, question, ranking)).toBeUndefined();
  });
});

describe('the postings of an agent', () => {
  const [sample] = sampleAgents;
  const row = { ...sample, search_id: 'write', visibility: 'public' as const };
  const keysOf = (name: string) =>
    sample
      ? livePostingKeys({ ...sample, ...row, card: JSON.stringify({ ...JSON.parse(sample.card), name }) })
      : [];

  test.each([
    ['of a long word', 'x'.repeat(500)],
    ['of a long word of letters with three bytes', '\u30ab'.repeat(500)],
    ['of emoji and letters beyond the basic plane', '\u{20000}'.repeat(80)],
  ])('have keys that DynamoDB takes, %s', (_what, name) => {
    for (const { pk, sk } of keysOf(name)) {
      expect(Buffer.byteLength(pk)).toBeLessThanOrEqual(2_048);
      expect(Buffer.byteLength(sk)).toBeLessThanOrEqual(1_024);
    }
  });

  test.each(['x'.repeat(500), '\u30ab'.repeat(60), 'Stra\u00dfenbahn', '\u7ffb\u8bd1'])(
    'find it by %s',
    (name) => {
      const sortKeys = keysOf(name).map(({ sk }) => sk);
      const { words } = parseQuestion(name);
      expect(words.length).toBeGreaterThan(0);
      for (const word of words) expect(toMatches(word, sortKeys).isWhole).toBe(true);
    },
  );
});

test('a question has at most 12 words', () => {
  const q = Array.from({ length: 40 }, (_, n) => `word${n}`).join(' ');
  expect(parseQuestion(q).words).toHaveLength(wordsMax);
});
