// Ranks what the postings of words propose: BM25 over the weights that they carry. Pure.

/** What has a word. `id` sorts by age. */
export interface Match<C extends { readonly id: string }> {
  readonly candidate: C;
  readonly weight: number;
}

/** Where one word was found. */
export interface WordMatches<C extends { readonly id: string }> {
  readonly matches: readonly Match<C>[];
  /** False where no agent has the word, and these have one that begins with it. */
  readonly isWhole: boolean;
}

export interface Ranked<C> {
  readonly candidate: C;
  /** Higher is better; comparable within one answer only. */
  readonly score: number;
}

export interface Ranking<C> {
  readonly ranked: Ranked<C>[];
  /** What each word counts, in the order of the question. */
  readonly rarities: readonly number[];
  readonly isWhole: readonly boolean[];
}

/**
 * Best first; equal scores by id. With the rarities of an earlier ranking, a candidate that has not changed scores as it
 * did there, whatever was added or removed meanwhile.
 */
export function rank<C extends { readonly id: string }>(
  words: readonly WordMatches<C>[],
  former: readonly number[] = [],
): Ranking<C> {
  const rarities = words.map(({ matches }, n) => former[n] ?? computeRarity(matches.length));
  const found = new Map<string, { candidate: C; parts: Part[] }>();
  for (const [n, { matches }] of words.entries()) {
    for (const { candidate, weight } of matches) {
      const hit = found.get(candidate.id) ?? { candidate, parts: [] };
      hit.parts.push({ rarity: rarities[n] ?? 0, weight });
      found.set(candidate.id, hit);
    }
  }
  const ranked = [...found.values()]
    .map(({ candidate, parts }) => ({ candidate, score: addUp(parts, words.length) }))
    .sort(byRank);
  return { ranked, rarities, isWhole: words.map(({ isWhole }) => isWhole) };
}

/** A word of the question, as a candidate has it. */
interface Part {
  readonly rarity: number;
  /** 0 where it does not have the word. */
  readonly weight: number;
}

/** What has more of the words counts more than the sum of them. */
export function addUp(parts: readonly Part[], words: number): number {
  const matched = parts.filter(({ weight }) => weight > 0);
  const sum = matched.reduce(
    (total, { rarity, weight }) => total + (rarity * weight) / (weight + halfWeight),
    0,
  );
  return rounded(sum * (0.5 + (0.5 * matched.length) / words));
}

/** A word that begins like the one of the question counts half. */
export const prefixShare = 0.5;

/** A word of this weight counts half of what it can. */
const halfWeight = 40;

/**
 * How many agents there are is not counted, since a counter would be an item that every promotion writes. A list of
 * postings is read up to a limit, so a word that more agents have counts as one that as many have.
 */
const assumedAgents = 1_000;

const computeRarity = (matching: number): number =>
  rounded(Math.log(1 + Math.max(0, assumedAgents - matching + 0.5) / (matching + 0.5)));

/** A cursor carries the score and the rarities, which must stay short and survive being written. */
const rounded = (score: number): number => Math.round(score * 10_000) / 10_000;

interface Position {
  readonly score: number;
  readonly candidate: { readonly id: string };
}

export const byRank = (a: Position, b: Position): number =>
  b.score - a.score || (a.candidate.id < b.candidate.id ? -1 : Number(a.candidate.id > b.candidate.id));
