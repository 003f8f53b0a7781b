// Ranks documents for a question: BM25 over the weights that the documents carry. Pure.

import type { SearchDocument } from '#lib/registry/search-index/document.ts';
import { extractTerms } from '#lib/registry/search-index/terms.ts';
import type { Corpus, Match } from './corpus.ts';

export interface Ranked {
  readonly document: SearchDocument;
  /** Higher is better; comparable within one answer only. */
  readonly score: number;
}

export interface Ranking {
  readonly ranked: Ranked[];
  /** What each term of the question counts, in its order. */
  readonly rarities: readonly number[];
}

/**
 * Best first; equal scores by id. A document that is in several corpora counts once. Without a question all
 * are equal. With the rarities of an earlier ranking, a document that has not changed scores as it did there,
 * whatever was added or removed meanwhile.
 */
export function rank(
  corpora: readonly Corpus[],
  q: string | undefined,
  mayFind: (document: SearchDocument) => boolean,
  former: readonly number[] = [],
): Ranking {
  if (q === undefined) return { ranked: unranked(corpora, mayFind), rarities: [] };
  const terms = [...new Set(extractTerms(q))].slice(0, termsMax);
  const total = corpora.reduce((sum, corpus) => sum + corpus.size(), 0);
  const found = new Map<string, { document: SearchDocument; score: number; matched: number }>();
  const rarities = terms.map((term, position) => {
    const matches = matchesIn(corpora, term, mayFind);
    const rarity = former[position] ?? computeRarity(total, matches.length);
    for (const { document, weight } of matches) {
      const hit = found.get(document.id) ?? { document, score: 0, matched: 0 };
      hit.score += (rarity * weight) / (weight + halfWeight);
      hit.matched += 1;
      found.set(document.id, hit);
    }
    return rarity;
  });
  const ranked = [...found.values()]
    .map(({ document, score, matched }) => ({
      document,
      score: rounded(score * (0.5 + (0.5 * matched) / terms.length)),
    }))
    .sort(byRank);
  return { ranked, rarities };
}

/** The rarities of all of them fit into a cursor. A sentence of 500 characters has about 50. */
const termsMax = 64;

const computeRarity = (total: number, matching: number): number =>
  rounded(Math.log(1 + (total - matching + 0.5) / (matching + 0.5)));

function unranked(corpora: readonly Corpus[], mayFind: (document: SearchDocument) => boolean): Ranked[] {
  const found = corpora.flatMap((corpus) => corpus.documents()).filter(mayFind);
  const distinct = new Map(found.map((document) => [document.id, { document, score: 0 }]));
  return [...distinct.values()].sort(byRank);
}

/** A term of this weight counts half of what it can. */
const halfWeight = 40;

/** A cursor carries the score and the rarities, which must stay short and survive being written. */
const rounded = (score: number): number => Math.round(score * 10_000) / 10_000;

export const byRank = (
  a: { readonly score: number; readonly document: { readonly id: string } },
  b: { readonly score: number; readonly document: { readonly id: string } },
): number =>
  b.score - a.score || (a.document.id < b.document.id ? -1 : Number(a.document.id > b.document.id));

/** Newest first: ids of builds begin with the time of their creation. */
export const byAge = (
  a: { readonly document: { readonly id: string } },
  b: { readonly document: { readonly id: string } },
): number => (a.document.id > b.document.id ? -1 : Number(a.document.id < b.document.id));

function matchesIn(
  corpora: readonly Corpus[],
  term: string,
  mayFind: (document: SearchDocument) => boolean,
): Match[] {
  const all = corpora.flatMap((corpus) => corpus.matches(term)).filter(({ document }) => mayFind(document));
  return [...new Map(all.map((match) => [match.document.id, match])).values()];
}
