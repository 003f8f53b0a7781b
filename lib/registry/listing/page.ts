// Cuts one page from a walk: full, unless the list, the bytes of an answer or the reads of a request end
// before.
import { ServiceError } from '#lib/errors.ts';
import { jsonBytes } from '#lib/json/size.ts';
import { type Budget, type ListRead, walk } from './walk.ts';

/** What an answer may hold: Lambda takes 6 MB, and a row is a little larger on the wire than it is stored. */
const pageBytesMax = 4_000_000;
/**
 * After which no round is begun: a second or two of a function's 20. A filter alone never needs so many,
 * filters that have little in common may.
 */
const readsMax = 50;
/** Items of a list that is requested without pages. */
const fullListMax = 1_000;

export interface Page<T> {
  readonly items: readonly T[];
  /** Where the next page begins; undefined for the last. */
  readonly next: string | undefined;
}

export async function readPage<T>(
  read: ListRead<T>,
  limit: number,
  isWanted: (value: T) => boolean,
): Promise<Page<T>> {
  const budget: Budget = { reads: readsMax, isSpent: false };
  const { answerBytes = jsonBytes } = read;
  const items: T[] = [];
  let bytes = 0;
  let next: string | undefined;
  for await (const { position, value } of walk(read, budget)) {
    if (value !== undefined && isWanted(value)) {
      bytes += answerBytes(value);
      if (items.length === limit || (items.length > 0 && bytes > pageBytesMax)) return { items, next };
      items.push(value);
    }
    next = position;
  }
  return { items, next: budget.isSpent ? next : undefined };
}

/** The whole list, or an error that explains how to read it in pages. */
export async function readAll<T>(read: ListRead<T>, isWanted: (value: T) => boolean): Promise<Page<T>> {
  const page = await readPage({ ...read, readSize: fullListMax + 1 }, fullListMax, isWanted);
  if (page.next === undefined) return page;
  throw new ServiceError('list_too_large', {
    detail: `The list has more than ${fullListMax} items or 4 MB, or takes too many reads: leave out pagination=false and follow nextCursor.`,
  });
}
