// The intersection of several streams, in their order, read only as far as the caller iterates. Each round
// reads a window of every stream from the same position and continues after the window that reaches farthest,
// which is that of the filter with the fewest rows here.
import { batchGetMax } from '#lib/dynamo/batch.ts';
import type { Stream } from './filter.ts';
import { isBeyond, readWindow, type Window } from './window.ts';

export interface ListRead<T> {
  readonly streams: readonly Stream[];
  readonly isDescending: boolean;
  /** The position after which to begin. */
  readonly after: string | undefined;
  /** Items of a read of a partition, at first. */
  readonly readSize: number;
  readonly parse: (item: unknown) => T;
  /** Bytes of a value in an answer, where they are more than those of its JSON. */
  readonly answerBytes?: (value: T) => number;
  /** The current values at positions that came without an item, in one read. */
  readonly load: (positions: readonly string[]) => Promise<ReadonlyMap<string, T>>;
}

/** Reads that one request may still make; `isSpent` says that the walk ended because none was left. */
export interface Budget {
  reads: number;
  isSpent: boolean;
}

export interface Step<T> {
  readonly position: string;
  /** Undefined where the row no longer exists; it may also be a row that does not match. */
  readonly value: T | undefined;
}

/** Each round reads twice as much, so that streams with little in common do not take long to say so. */
const readSizeMax = 400;

export async function* walk<T>(read: ListRead<T>, budget: Budget): AsyncGenerator<Step<T>, void> {
  const { streams, isDescending } = read;
  let { after, readSize: limit } = read;
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
    yield* stepsAt(candidates, windows, { ...read, readSize: limit }, budget);
    if (lead.end !== undefined) yield { position: lead.end, value: undefined };
    after = lead.end;
    limit = Math.max(limit, Math.min(limit * 2, readSizeMax));
  } while (after !== undefined);
}

/** When both reach the end of their streams, the one with fewer items counts as farther. */
function reachesFarther(one: Window, other: Window, isDescending: boolean): boolean {
  if (one.end === undefined && other.end === undefined) return one.items.size < other.items.size;
  return one.end === undefined || isBeyond(one.end, other.end, isDescending);
}

async function* stepsAt<T>(
  positions: readonly string[],
  windows: readonly Window[],
  { readSize, parse, load }: ListRead<T>,
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
