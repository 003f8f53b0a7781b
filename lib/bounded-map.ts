// What a process remembers for a while: a map that forgets the entries which were not used for the longest time, and
// those that are too old. Nearly every function has several, so they allocate nothing until an entry is stored: a cold
// start does not pay for them.

export interface BoundedMap<K, V> {
  /** Counts as a use. */
  readonly get: (key: K) => V | undefined;
  /** `until` is a time of the clock of the map; without it, an entry is kept as long as all others. */
  readonly set: (key: K, value: V, until?: number) => void;
  readonly delete: (key: K) => void;
  /** Those that are not too old. Entries may be deleted meanwhile. */
  readonly entries: () => Iterable<readonly [K, V]>;
}

interface Bounds<V> {
  readonly entriesMax: number;
  /** Without it, entries do not get too old. */
  readonly keptMs?: number;
  /** In ms. A monotonic clock may stand still while Lambda has frozen the process. */
  readonly now?: () => number;
  /** The maximum sum of the sizes of all entries, by `sizeOf`. An entry that is larger than this is not kept. */
  readonly sizeMax?: number;
  readonly sizeOf?: (value: V) => number;
}

interface Entry<V> {
  readonly value: V;
  readonly until: number;
  readonly size: number;
}

export function boundedMap<K, V>({
  entriesMax,
  keptMs = Number.POSITIVE_INFINITY,
  now = () => Date.now(),
  sizeMax = Number.POSITIVE_INFINITY,
  sizeOf = () => 0,
}: Bounds<V>): BoundedMap<K, V> {
  // A map has its entries in the order in which they were set, so the first is the one that was not used for longest.
  const entries = new Map<K, Entry<V>>();
  let size = 0;
  const remove = (key: K) => {
    size -= entries.get(key)?.size ?? 0;
    entries.delete(key);
  };
  return {
    get: (key) => {
      const entry = entries.get(key);
      if (!entry) return undefined;
      if (entry.until < now()) {
        remove(key);
        return undefined;
      }
      entries.delete(key);
      entries.set(key, entry);
      return entry.value;
    },
    set: (key, value, until = now() + keptMs) => {
      remove(key);
      const entry = { value, until, size: sizeOf(value) };
      if (entry.size > sizeMax) return;
      entries.set(key, entry);
      size += entry.size;
      for (const [oldest] of entries) {
        if (entries.size <= entriesMax && size <= sizeMax) return;
        remove(oldest);
      }
    },
    delete: remove,
    entries: function* () {
      for (const [key, { value, until }] of entries) if (until >= now()) yield [key, value] as const;
    },
  };
}
