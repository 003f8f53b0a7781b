// A check of what the tables hold: what must agree, and what to do where it does not.
import type { KindName } from '#lib/inventory/identify.ts';
import type { ItemKey, KnownItem, TableName } from '#lib/inventory/kind.ts';
import type { Group, StoredItem } from '#lib/inventory/partitions.ts';

/** An item that is checked, with what it is read with: of a row or a run, all of its items. */
export interface Subject {
  readonly item: StoredItem;
  readonly known: KnownItem<KindName>;
  readonly group: Group;
  /** Ms since 1970. What has expired may be gone in part, as DynamoDB deletes one item after the other. */
  readonly now: number;
}

export interface Check {
  readonly what: string;
  readonly cure: string;
  /** The kinds of items that it is for. */
  readonly on: readonly KindName[];
  /** Whether it decrypts, and needs the KMS key. */
  readonly opens?: boolean;
  /** The items that do not agree; none means that all is well. Rejects for an item that cannot be parsed or decrypted. */
  readonly find: (subject: Subject) => Promise<readonly ItemKey[]>;
}

export interface Finding extends ItemKey {
  readonly check: string;
  readonly table: TableName;
}

export const agrees: readonly ItemKey[] = [];
