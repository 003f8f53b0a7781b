import fc from 'fast-check';
import { expect, test } from 'vitest';
import { newCorpus } from '#lib/discovery/corpus.ts';
import { rank } from '#lib/discovery/rank.ts';
import type { SearchDocument } from '#lib/registry/search-index/document.ts';
import { seed } from '#test/support/seed.ts';

const everything = () => true;

const document = (id: string, terms: string): SearchDocument => ({
  id,
  terms,
  orgid: 'org',
  workspaceid: 'ws',
  visibility: 'public',
  tags: [],
  input_modes: [],
  output_modes: [],
});

function buildCorpus(documents: Readonly<Record<string, SearchDocument>>) {
  const corpus = newCorpus();
  for (const [key, each] of Object.entries(documents)) corpus.put(key, each);
  return corpus;
}

const ids = (q: string, ...corpora: ReturnType<typeof newCorpus>[]) =>
  rank(corpora, q, everything).ranked.map((hit) => hit.document.id);

test('documents with more weight, rarer words and more words of the query rank first', () => {
  const corpus = buildCorpus({
    a: document('a', 'parcel:60 claim:10'),
    b: document('b', 'parcel:20 claim:10'),
    c: document('c', 'claim:60'),
  });
  expect(ids('parcel', corpus)).toEqual(['a', 'b']);
  expect(ids('claim parcel', corpus)).toEqual(['a', 'b', 'c']);
});

test('a document in two corpora is found once, and equal scores have a stable order', () => {
  const same = { a: document('a', 'parcel:10'), b: document('b', 'parcel:10') };
  expect(ids('parcel', buildCorpus(same), buildCorpus(same))).toEqual(['a', 'b']);
});

test('with the rarities of an earlier ranking, documents score as there, however the corpus has grown', () => {
  const corpus = buildCorpus({ a: document('a', 'parcel:10 claim:20'), b: document('b', 'parcel:10') });
  const q = 'parcel claim';
  const { ranked, rarities } = rank([corpus], q, everything);
  for (const key of ['c', 'd', 'e']) corpus.put(key, document(key, 'parcel:5'));
  const scores = (hits: typeof ranked) => hits.map((hit) => [hit.document.id, hit.score]);
  const again = rank([corpus], q, everything, rarities);
  expect(scores(again.ranked).slice(0, 2)).toEqual(scores(ranked));
  expect(again.rarities).toEqual(rarities);
  expect(scores(rank([corpus], q, everything).ranked).slice(0, 2)).not.toEqual(scores(ranked));
});

test('a document that replaces another is found by its own words only', () => {
  const corpus = buildCorpus({ place: document('a', 'old:10') });
  corpus.put('place', document('b', 'new:10'));
  expect([ids('old', corpus), ids('new', corpus), corpus.size()]).toEqual([[], ['b'], 1]);
  corpus.remove('place');
  corpus.remove('nowhere');
  expect([ids('new', corpus), corpus.size(), corpus.documents()]).toEqual([[], 0, []]);
});

test(`after any changes a corpus ranks like a new corpus of the same documents (SEED=${seed})`, () => {
  const words = ['alpha', 'bravo', 'delta', 'gamma'];
  const change = fc.record({
    key: fc.constantFrom('p', 'q', 'r', 's'),
    terms: fc.option(fc.subarray(words, { minLength: 1 }), { nil: undefined }),
    weight: fc.integer({ min: 1, max: 99 }),
  });
  fc.assert(
    fc.property(fc.array(change), fc.constantFrom(...words), (changes, q) => {
      const corpus = newCorpus();
      const there = new Map<string, SearchDocument>();
      changes.forEach(({ key, terms, weight }, n) => {
        const made = terms && document(`${key}${n}`, terms.map((term) => `${term}:${weight}`).join(' '));
        if (made) corpus.put(key, made);
        else corpus.remove(key);
        if (made) there.set(key, made);
        else there.delete(key);
      });
      expect(rank([corpus], q, everything)).toEqual(
        rank([buildCorpus(Object.fromEntries(there))], q, everything),
      );
    }),
    { seed, numRuns: 200 },
  );
});
