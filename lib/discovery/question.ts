// The words of a question, and how well the card of a row answers it. Pure.
import { heaviestTerms } from '#lib/registry/search-index/card-terms.ts';
import { extractTerms } from '#lib/registry/search-index/terms.ts';
import { prefixMin, toKeyWord } from '#lib/registry/search-index/words.ts';
import { addUp, prefixShare, type Ranking } from './rank.ts';

export interface Question {
  /** Distinct, as in the keys of postings. */
  readonly words: readonly string[];
  /** Those of the tags that are filtered by. They only propose agents: the row decides which tags it has. */
  readonly tagWords: readonly string[];
}

/** Bounds the queries of a search. The words of a question come first in what people write. */
export const wordsMax = 12;
const tagWordsMax = 4;

export function parseQuestion(q: string, tags: readonly string[] = []): Question {
  const words = toWords([q]).slice(0, wordsMax);
  return { words, tagWords: toWords(tags).slice(0, tagWordsMax) };
}

const toWords = (texts: readonly string[]): string[] => [
  ...new Set(texts.flatMap(extractTerms).map(toKeyWord)),
];

/** Undefined where the card has none of the words. `ranking` has them in the same order, before those of tags. */
export function scoreRow(
  row: Parameters<typeof heaviestTerms>[0],
  { words }: Question,
  { rarities, isWhole }: Pick<Ranking<never>, 'rarities' | 'isWhole'>,
): number | undefined {
  const weights = heaviestTerms(row).map(([term, weight]) => [toKeyWord(term), weight] as const);
  const parts = words.map((word, n) => ({
    rarity: rarities[n] ?? 0,
    weight: isWhole[n] ? findWeight(weights, word) : findLonger(weights, word),
  }));
  return parts.some(({ weight }) => weight > 0) ? addUp(parts, words.length) : undefined;
}

const findWeight = (weights: readonly (readonly [string, number])[], word: string): number =>
  weights.find(([each]) => each === word)?.[1] ?? 0;

/** Heaviest first, so the first is the heaviest. */
function findLonger(weights: readonly (readonly [string, number])[], beginning: string): number {
  if (beginning.length < prefixMin) return 0;
  return (weights.find(([each]) => each.startsWith(beginning))?.[1] ?? 0) * prefixShare;
}
