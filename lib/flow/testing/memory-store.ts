// A store in memory, for tests of flows and runs in the terminal: it is empty at first, and gone in the end.
import type { StoredValue, StoreKey, StorePort } from '../ports/store.ts';

export function memoryStore(hasContext: boolean): StorePort {
  const values = new Map<string, StoredValue>();
  const name = ({ space, key }: StoreKey) => `${space} ${key}`;
  let writes = 0;
  return {
    hasContext,
    read: async (key) => values.get(name(key)),
    write: async ({ value, ifVersion, ...key }) => {
      const current = values.get(name(key))?.version ?? null;
      if (ifVersion !== undefined && ifVersion !== current) return undefined;
      const version = `v${++writes}`;
      if (value === undefined) values.delete(name(key));
      else values.set(name(key), { value, version });
      return version;
    },
  };
}
