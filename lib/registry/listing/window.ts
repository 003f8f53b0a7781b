// A stretch of one stream: everything that its partitions hold from where it was begun to its end, in one
// order.
import type { Stream } from './filter.ts';
import { type Reading, readPartition } from './posting-items.ts';

export interface Window {
  /** Items by position, in order; undefined where only the position is known. */
  readonly items: ReadonlyMap<string, unknown>;
  /** The last position that it covers; undefined when it reaches the end of the stream. */
  readonly end: string | undefined;
}

/**
 * One read per partition, at once. Complete up to the nearest of their ends; what lies behind that is left
 * for the next window.
 */
export async function readWindow(stream: Stream, reading: Reading): Promise<Window> {
  const { isDescending } = reading;
  const parts = await Promise.all(stream.map((partition) => readPartition(partition, reading)));
  const ends = parts.flatMap(({ found, isLast }) => (isLast ? [] : (found.at(-1)?.position ?? [])));
  const end = inOrder(ends, isDescending)[0];
  const found = parts
    .flatMap((part) => part.found)
    .filter(({ position }) => !isBeyond(position, end, isDescending));
  const items = new Map(found.map(({ position, item }) => [position, item]));
  return {
    items: new Map(inOrder([...items.keys()], isDescending).map((key) => [key, items.get(key)])),
    end,
  };
}

/** Nothing is beyond the end of a stream. */
export const isBeyond = (position: string, end: string | undefined, isDescending: boolean): boolean =>
  end !== undefined && (isDescending ? position < end : position > end);

function inOrder(positions: readonly string[], isDescending: boolean): string[] {
  const sorted = positions.toSorted();
  return isDescending ? sorted.reverse() : sorted;
}
