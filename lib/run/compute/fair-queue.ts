// What waits for the one thread that evaluates, taken in turn from each organisation that has something
// there.

export interface FairQueue<T> {
  readonly add: (group: string, item: T) => void;
  /** Returns the oldest entry of the group whose turn it is. */
  readonly take: () => T | undefined;
  readonly remove: (group: string, item: T) => void;
}

export function createFairQueue<T>(): FairQueue<T> {
  // In the order of their turns: a group that had its turn goes to the end.
  const groups = new Map<string, Set<T>>();
  const remove = (group: string, item: T) => {
    const items = groups.get(group);
    items?.delete(item);
    if (items?.size === 0) groups.delete(group);
  };
  return {
    add: (group, item) => {
      const items = groups.get(group);
      if (items) items.add(item);
      else groups.set(group, new Set([item]));
    },
    take: () => {
      for (const [group, items] of groups) {
        for (const item of items) {
          groups.delete(group);
          groups.set(group, items);
          remove(group, item);
          return item;
        }
      }
      return undefined;
    },
    remove,
  };
}
