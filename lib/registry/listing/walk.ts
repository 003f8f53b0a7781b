// What several streams have in common, in their order, read only as far as it is asked for. Each round reads a window of every stream from the
// same position and goes on behind the one that reaches farthest, which is that of the filter with the fewest rows here.
import { batchGetMax } from '#lib/dynamo/batch.ts';
import type { Stream } from './filter.ts';
import { isBeyond, readWindow, type Window } from './window.ts';

export interface Route<T> {
  readonly streams: readonly Stream[];
  readonly isDescending: boolean;
  /** Position behind which to begin. */
  readonly after: string | undefined;
  /** Items of a read of a partition, at first. */
  readonly readSize: number;
  readonly parse: (item: unknown) => T;
  /** What a value takes in an answer, where that is more than its JSON. */
  readonly bytesOf?: (value: T) => number;
  /** What is now at positions that came without an item, in one read. */
  readonly load: (positions: readonly string[]) => Promise<ReadonlyMap<string, T>>;
}

/** Reads that one request may still make; `isSpent` says that the walk ended for want of them. */
export interface Budget {
  reads: number;
  isSpent: boolean;
}

export interface Step<T> {
  readonly position: string;
  /** Undefined where nothing is any more; it may also be something that does not fit. */
  readonly value: T | undefined;
}

/** Each round reads twice as much, so that streams with little in common do not take long to say so. */
const readSizeMax = 400;

export async function* walk<T>(route: Route<T>, budget: Budget): AsyncGenerator<Step<T>, void> {
  const { streams, isDescending } = route;
  let { after, readSize: limit } = route;
  do {
    if (budget.reads <= 0) {
      budget.isSpent = true;
      return;
    }
    const reading = { isDescending, after, limit };
    const windows = await Promise.all(streams.map((stream) => readWindow(stream, reading)));
    budget.reads -= streams.flat().length;
    const lead = windows.reduce((far, each) => (reachesFarther(each, far, isDescending) ? each : far));
    const candidates = [...lead.items.keys()].filter((position) =>
      windows.every(({ items, end }) => items.has(position) || isBeyond(position, end, isDescending)),
    );
    yield* stepsAt(candidates, windows, { ...route, readSize: limit }, budget);
    if (lead.end !== undefined) yield { position: lead.end, value: undefined };
    after = lead.end;
    limit = Math.max(limit, Math.min(limit * 2, readSizeMax));
  } while (after !== undefined);
}

/** Of two that reach the end of their streams, the one with less. */
function reachesFarther(one: Window, other: Window, isDescending: boolean): boolean {
  if (one.end === undefined && other.end === undefined) return one.items.size < other.items.size;
  return one.end === undefined || isBeyond(one.end, other.end, isDescending);
}

async function* stepsAt<T>(
  positions: readonly string[],
  windows: readonly Window[],
  { readSize, parse, load }: Route<T>,
  budget: Budget,
): AsyncGenerator<Step<T>, void> {
  const itemAt = (position: string) =>
    windows.map(({ items }) => items.get(position)).find((item) => item !== undefined);
  const size = Math.min(readSize, batchGetMax);
  for (let n = 0; n < positions.length; n += size) {
    const some = positions.slice(n, n + size);
    const without = some.filter((position) => itemAt(position) === undefined);
    if (without.length > 0) budget.reads -= 1;
    const loaded = without.length > 0 ? await load(without) : new Map<string, T>();
    for (const position of some) {
      const item = itemAt(position);
      yield { position, value: item === undefined ? loaded.get(position) : parse(item) };
    }
  }
}
