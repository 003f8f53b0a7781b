// Fills a page of a list that is sorted by position, newest first, with the items that pass its filters. What
// the index does not sort by is filtered while reading on, within a bound.

interface Positioned {
  readonly position: string;
}

interface PageRequest<T> {
  /** The items up to a position, newest first; fewer than `limit` only where the list ends. */
  readonly read: (to: string, limit: number) => Promise<readonly T[]>;
  readonly isWanted: (item: T) => boolean;
  readonly limit: number;
  /** Not itself in the page: the last position of the page before, or a value above all positions. */
  readonly before: string;
}

/** An item of an index has some 400 bytes, so that a read is far below DynamoDB's megabyte, and one call. */
const readSize = 250;
/** For a page whose filters few items pass: 10,000 items, a few seconds. The next page continues from there. */
const readsMax = 40;

/** `next` is the last position that was looked at, where there may be more behind it. */
export async function collectPage<T extends Positioned>({
  read,
  isWanted,
  limit,
  before,
}: PageRequest<T>): Promise<{ readonly found: readonly T[]; readonly next: string | undefined }> {
  const found: T[] = [];
  let last = before;
  for (let reads = 0; reads < readsMax; reads += 1) {
    const items = await read(last, readSize);
    for (const item of items.filter(({ position }) => position < last)) {
      if (isWanted(item)) {
        if (found.length === limit) return { found, next: last };
        found.push(item);
      }
      last = item.position;
    }
    if (items.length < readSize) return { found, next: undefined };
  }
  return { found, next: last };
}
