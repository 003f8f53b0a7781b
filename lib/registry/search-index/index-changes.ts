// The search documents that change with a row, as actions of the very transaction that changes the row: nothing to repair, no call more.
import type { TransactionAction } from '#lib/dynamo/transactions.ts';
import type { StoredRow } from '../stored-row.ts';
import { documentOf } from './document.ts';
import * as keys from './keys.ts';

/** For a row that is created or replaced. */
export const indexed = (row: StoredRow) => [
  put(row, keys.buildKey(row)),
  ...(row.status === 'live' ? indexedAsLive(row) : []),
];

/** For a row that goes live. The document of the former live row is overwritten; both stay findable as builds. */
export const indexedAsLive = (row: StoredRow) => [
  put(row, keys.liveKey(row)),
  row.visibility === 'public' ? put(row, keys.publicKey(row)) : remove(keys.publicKey(row)),
];

export const unindexed = (row: StoredRow) => [
  remove(keys.buildKey(row)),
  ...(row.status === 'live' ? [remove(keys.liveKey(row)), remove(keys.publicKey(row))] : []),
];

type Key = ReturnType<typeof keys.liveKey>;

/** gsi1 tells a reader what has changed since it last asked. */
const put = (row: StoredRow, key: Key): TransactionAction => ({
  Put: { Item: { ...key, ...documentOf(row), gsi1pk: key.pk, gsi1sk: row.updated_at } },
});

const remove = (Key: Key): TransactionAction => ({ Delete: { Key } });
