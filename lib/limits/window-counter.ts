// Counts requests per window in this process, and synchronizes with the shared count from time to time, so
// that few requests within the limits need a call. Between synchronizations a process knows only its own
// count, so the limit is approximate: see docs/security.md.
import { type BoundedMap, boundedMap } from '#lib/bounded-map.ts';
import { windowSeconds } from './tenant-limits.ts';

/** A process synchronizes each time it has counted this part of the quota. */
const synchronizeAfterShare = 0.1;
const windowMs = windowSeconds * 1_000;

/** Adds to the count that all processes share, and answers with the new one. */
export type AddToShared = (id: string, window: number, count: number) => Promise<number>;

interface Counted {
  readonly window: number;
  /** As of the last synchronization. */
  shared: number;
  /** Since then. */
  own: number;
}

export interface WindowDecision {
  readonly isAllowed: boolean;
  readonly quota: number;
  readonly remaining: number;
  /** Until the window ends. */
  readonly resetSeconds: number;
}

export function newWindowCounter(addToShared: AddToShared) {
  const counts = boundedMap<string, Counted>({ entriesMax: 2_000 });
  return async (id: string, quota: number, nowMs: number): Promise<WindowDecision> => {
    const window = Math.floor(nowMs / windowMs);
    const counted = current(counts, id, window);
    const resetSeconds = Math.max(1, Math.ceil(((window + 1) * windowMs - nowMs) / 1_000));
    const used = counted.shared + counted.own;
    // Refused requests are not counted, so a flood beyond the limit costs no write.
    if (used >= quota) return { isAllowed: false, quota, remaining: 0, resetSeconds };
    counted.own += 1;
    if (counted.own >= Math.max(1, quota * synchronizeAfterShare))
      await synchronize(counted, id, addToShared);
    const remaining = Math.max(0, quota - counted.shared - counted.own);
    return { isAllowed: true, quota, remaining, resetSeconds };
  };
}

function current(counts: BoundedMap<string, Counted>, id: string, window: number): Counted {
  const known = counts.get(id);
  if (known?.window === window) return known;
  const fresh = { window, shared: 0, own: 0 };
  counts.set(id, fresh);
  return fresh;
}

async function synchronize(counted: Counted, id: string, addToShared: AddToShared): Promise<void> {
  const count = counted.own;
  counted.own = 0;
  counted.shared += count;
  const total = await addToShared(id, counted.window, count);
  // Other requests of this process may have added to it meanwhile.
  counted.shared = Math.max(counted.shared, total);
}
