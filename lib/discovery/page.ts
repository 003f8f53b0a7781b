// Fills a page of hits from candidates in order: until it is full, until there are no more, or until as much was read as
// one request may read. A page may therefore be short, or empty, and have a next one.
import { jsonBytes } from '#lib/json/size.ts';
import type { Hit } from './confirm.ts';

export interface Page<P> {
  readonly hits: readonly Hit[];
  /** After the last candidate that was read; undefined where there are no more. */
  readonly next: P | undefined;
}

interface Stretch<C, P> {
  readonly found: readonly C[];
  /** Where the next one begins; undefined at the end. */
  readonly next: P | undefined;
}

interface Source<C, P> {
  readonly after: P | undefined;
  readonly read: (after: P | undefined, count: number) => Promise<Stretch<C, P>>;
}

interface Filling<C, P> extends Source<C, P> {
  readonly limit: number;
  /** In the order of the candidates; undefined for those that are not shown. */
  readonly confirm: (candidates: readonly C[]) => Promise<readonly (Hit | undefined)[]>;
  readonly toPosition: (candidate: C) => P;
}

/** Each reads one candidate more than a page has. */
export const roundsMax = 5;
/** Lambda takes 6 MB, and a card is 150 KB at most. */
const pageBytesMax = 4_000_000;

export async function fillPage<C, P>(filling: Filling<C, P>): Promise<Page<P>> {
  const { limit, read, confirm, toPosition } = filling;
  const hits: Hit[] = [];
  let bytes = 0;
  let next = filling.after;
  for (let round = 0; round < roundsMax; round += 1) {
    const stretch = await read(next, limit + 1);
    const confirmed = await confirm(stretch.found);
    for (const [n, candidate] of stretch.found.entries()) {
      const hit = confirmed[n];
      if (hit) {
        bytes += jsonBytes(hit.row.card);
        if (hits.length === limit || (hits.length > 0 && bytes > pageBytesMax)) return { hits, next };
        hits.push(hit);
      }
      next = toPosition(candidate);
    }
    if (stretch.next === undefined) return { hits, next: undefined };
    next = stretch.next;
  }
  return { hits, next };
}

/** Candidates that are all known, in their order. */
export function toSource<C extends P, P>(
  candidates: readonly C[],
  after: P | undefined,
  compare: (a: P, b: P) => number,
): Source<C, P> {
  const sorted = candidates.toSorted(compare);
  return {
    after,
    read: async (from, count) => {
      const rest = from === undefined ? sorted : sorted.filter((each) => compare(each, from) > 0);
      return { found: rest.slice(0, count), next: rest.length > count ? rest[count - 1] : undefined };
    },
  };
}
