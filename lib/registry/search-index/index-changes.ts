// The search documents that change with a row, as actions of the very transaction that changes the row:
// nothing to repair, and no further call. A partition is what one reader may see: the live agents of its
// organisation, the builds of its organisation, all public agents.
import type { Key } from '#lib/dynamo/items.ts';
import type { TransactionAction } from '#lib/dynamo/transactions.ts';
import type { StoredRow } from '../row/stored-row.ts';
import { toSearchDocument } from './document.ts';

export const publicPartition = 'SEARCH#PUBLIC';
export const livePartition = (orgid: string) => `SEARCH#LIVE#${orgid}`;
export const buildPartition = (orgid: string) => `SEARCH#BUILD#${orgid}`;

/** For a row that is created or replaced. */
export const indexed = (row: StoredRow) => [
  put(row, buildKey(row)),
  ...(row.status === 'live' ? indexedAsLive(row) : []),
];

/**
 * For a row that goes live. The document of the former live row is overwritten; both stay findable as builds.
 */
export const indexedAsLive = (row: StoredRow) => [
  put(row, liveKey(row)),
  row.visibility === 'public' ? put(row, publicKey(row)) : remove(publicKey(row)),
];

export const unindexed = (row: StoredRow) => [
  remove(buildKey(row)),
  ...(row.status === 'live' ? [remove(liveKey(row)), remove(publicKey(row))] : []),
];

/** gsi1 lets a reader query what has changed since its last query. */
const put = (row: StoredRow, key: Key): TransactionAction => ({
  Put: { Item: { ...key, ...toSearchDocument(row), gsi1pk: key.pk, gsi1sk: row.updated_at } },
});

const remove = (key: Key): TransactionAction => ({ Delete: { Key: { ...key } } });

/**
 * One key per flow and workspace: a promotion overwrites the document of the build that was live before,
 * without knowing it.
 */
export const liveKey = ({ orgid, workspaceid, flowid }: StoredRow): Key => ({
  pk: livePartition(orgid),
  sk: `${workspaceid}#${flowid}`,
});

export const publicKey = ({ orgid, workspaceid, flowid }: StoredRow): Key => ({
  pk: publicPartition,
  sk: `${orgid}#${workspaceid}#${flowid}`,
});

export const buildKey = ({ orgid, a2aregistryid }: StoredRow): Key => ({
  pk: buildPartition(orgid),
  sk: a2aregistryid,
});
