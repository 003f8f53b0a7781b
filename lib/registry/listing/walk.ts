// Items of one or several partitions of an index, one after the other in one common order, read only as far as they are asked for.
import { type Partition, type Reading, readItems } from './store.ts';

export interface Route<T> {
  readonly partitions: readonly Partition[];
  readonly isDescending: boolean;
  /** Position behind which to begin. */
  readonly after: string | undefined;
  /** Items per read. */
  readonly readSize: number;
  readonly parse: (item: unknown) => T;
  /** The sort key of the index, which no two items share. */
  readonly positionOf: (value: T) => string;
}

/** Reads that one request may still make; `isSpent` says that the walk ended for want of them. */
export interface Budget {
  reads: number;
  isSpent: boolean;
}

export async function* walk<T>(route: Route<T>, budget: Budget): AsyncGenerator<T, void> {
  const lanes = route.partitions.map((partition) => walkOne(partition, route, budget));
  const heads = await Promise.all(lanes.map((lane) => lane.next()));
  while (!budget.isSpent) {
    const first = firstOf(heads, route);
    const head = heads[first];
    if (!head || head.done) return;
    yield head.value;
    const lane = lanes[first];
    if (lane) heads[first] = await lane.next();
  }
}

async function* walkOne<T>(partition: Partition, route: Route<T>, budget: Budget): AsyncGenerator<T, void> {
  const { isDescending, after, readSize: limit } = route;
  let start: Reading['start'];
  do {
    if (budget.reads === 0) {
      budget.isSpent = true;
      return;
    }
    budget.reads -= 1;
    const { items, next } = await readItems({ partition, isDescending, after, limit, start });
    yield* items.map(route.parse);
    start = next;
  } while (start);
}

/** Index of the head that comes first; -1 when all lanes are at their end. */
function firstOf<T>(
  heads: readonly IteratorResult<T, void>[],
  { isDescending, positionOf }: Route<T>,
): number {
  let first = -1;
  let best = '';
  for (const [n, head] of heads.entries()) {
    if (head.done) continue;
    const position = positionOf(head.value);
    if (first >= 0 && position < best !== !isDescending) continue;
    [first, best] = [n, position];
  }
  return first;
}
