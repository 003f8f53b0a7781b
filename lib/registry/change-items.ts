// The changes of the registry, each one transaction: conditions, never read-then-write; a history item with
// every change.
import { controlTable } from '#lib/dynamo/client.ts';
import { mustNotExist } from '#lib/dynamo/conditions.ts';
import { type TransactionAction, transactWrite } from '#lib/dynamo/transactions.ts';
import { historyPut } from './history/history-items.ts';
import { liveAttributes, showInIndexes } from './row/live-flow.ts';
import { flowKey, flowsIndex, ownerKey, rowItem, rowKey } from './row/row-items.ts';
import type { StoredFlow, StoredOwner, StoredRow } from './row/stored-row.ts';

/**
 * False when another build, or another owner, came in between: read again and retry. `receipts` are committed
 * with the row.
 */
export async function insertRow(
  row: StoredRow,
  seen: { flow: StoredFlow | undefined; owner: StoredOwner | undefined; name: string },
  {
    request_id,
    receipts = [],
  }: {
    readonly request_id?: string | undefined;
    readonly receipts?: readonly TransactionAction[] | undefined;
  },
) {
  return await commit([
    { Put: { Item: rowItem(row), ...mustNotExist } },
    {
      Update: {
        Key: flowKey(row.flowid, row.orgid, row.workspaceid),
        UpdateExpression:
          'SET last_build_no = :n, flowid = :flowid, orgid = :orgid, workspaceid = :ws, updated_at = :at, #name = :name, gsi1pk = :gsi, gsi1sk = :flowid ADD build_count :one',
        ConditionExpression: seen.flow ? 'last_build_no = :seen' : 'attribute_not_exists(pk)',
        ExpressionAttributeNames: { '#name': 'name' },
        ExpressionAttributeValues: {
          ':n': row.build_no,
          ':name': seen.name,
          ':one': 1,
          ':flowid': row.flowid,
          ':orgid': row.orgid,
          ':ws': row.workspaceid,
          ':at': row.updated_at,
          ':gsi': flowsIndex(row.orgid, row.workspaceid),
          ...(seen.flow && { ':seen': seen.flow.last_build_no }),
        },
      },
    },
    ...(seen.owner ? [] : [claimOwnership(row)]),
    historyPut(row, { action: 'created', by: row.created_by, to: row.status, request_id }),
    ...receipts,
  ]);
}

const claimOwnership = (row: StoredRow): TransactionAction => ({
  Put: {
    Item: { ...ownerKey(row.flowid), orgid: row.orgid, workspaceid: row.workspaceid },
    ...mustNotExist,
  },
});

/** False when the row is not the version that was read, which is `before`. */
export async function replaceRow(
  before: StoredRow,
  row: StoredRow,
  by: string,
  changed: readonly string[],
  request_id?: string,
): Promise<boolean> {
  return await commit([
    {
      Put: {
        Item: rowItem(row),
        ConditionExpression: 'version = :seen',
        ExpressionAttributeValues: { ':seen': row.version - 1 },
      },
    },
    historyPut(row, { action: 'updated', by, from: row.status, to: row.status, changed, request_id }),
    ...(row.status === 'live' && isShownAnew(before, row) ? [showInIndexes(row)] : []),
  ]);
}

/** A row without postings was promoted by an earlier version. */
const isShownAnew = (before: StoredRow, row: StoredRow): boolean =>
  before.visibility !== row.visibility || (before.search_id === undefined && row.search_id !== undefined);

/** False when the row is not the version that was read. A live row takes the pointer with it. */
export async function removeRow(
  row: StoredRow,
  by: string,
  at: string,
  request_id?: string,
): Promise<boolean> {
  const isLive = row.status === 'live';
  return await commit([
    {
      Delete: {
        Key: rowKey(row.a2aregistryid),
        ConditionExpression: 'version = :seen',
        ExpressionAttributeValues: { ':seen': row.version },
      },
    },
    {
      Update: {
        Key: flowKey(row.flowid, row.orgid, row.workspaceid),
        UpdateExpression: `SET updated_at = :at ADD build_count :less${isLive ? ` REMOVE ${liveAttributes}` : ''}`,
        ConditionExpression: isLive ? 'live = :id' : 'attribute_not_exists(live) OR live <> :id',
        ExpressionAttributeValues: { ':at': at, ':less': -1, ':id': row.a2aregistryid },
      },
    },
    historyPut(
      { ...row, version: row.version + 1, updated_at: at },
      { action: 'deleted', by, from: row.status, request_id },
    ),
  ]);
}

/** True when committed, false when a condition failed or it met another transaction. */
const commit = async (actions: readonly TransactionAction[]): Promise<boolean> =>
  (await transactWrite(controlTable, actions)) === undefined;
