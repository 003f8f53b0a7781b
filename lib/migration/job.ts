// A migration: which items it is for, and how one of them is rewritten.
import type { Item } from '#lib/dynamo/items.ts';

/** `current` is an item that needs no change, `gone` one that was deleted in the meantime. */
export type Outcome = 'changed' | 'current' | 'gone';

export interface Job {
  /** Found in this index, which has fewer and smaller items than the table; an item of it may be moments old. */
  readonly items: {
    readonly IndexName: 'gsi1';
    readonly FilterExpression: string;
    readonly ExpressionAttributeValues: Readonly<Record<string, unknown>>;
  };
  /**
   * Called again for the same item if a process dies, and while requests change the item: it writes under a condition
   * on the version that it read. Rejects for an item that it cannot rewrite.
   */
  readonly rewrite: (item: Item) => Promise<Outcome>;
}
