// The changes of the registry, each one transaction: conditions, never read-then-write; a history item with every change.
import { TransactWriteCommand, type TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import { conflictReasons } from '#lib/aws-errors.ts';
import { documents } from '#lib/dynamo/client.ts';
import { requireEnv } from '#lib/env.ts';
import { type Change, historyPut } from './history/history-item.ts';
import * as keys from './keys.ts';
import { rowItem } from './row-item.ts';
import { indexed, unindexed } from './search-index/index-changes.ts';
import type { StoredFlow, StoredOwner, StoredRow } from './stored-row.ts';

const TableName = () => requireEnv('CONTROL_TABLE');
type Action = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

/** False when another build, or another owner, came in between: read again and retry. `receipts` are committed with the row. */
export async function insertRow(
  row: StoredRow,
  seen: { flow: StoredFlow | undefined; owner: StoredOwner | undefined; name: string },
  {
    request_id,
    receipts = [],
  }: { readonly request_id?: string | undefined; readonly receipts?: readonly Action[] | undefined },
) {
  return await commit([
    { Put: { TableName: TableName(), Item: rowItem(row), ConditionExpression: 'attribute_not_exists(pk)' } },
    {
      Update: {
        TableName: TableName(),
        Key: keys.flowKey(row.flowid, row.orgid, row.workspaceid),
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
          ':gsi': keys.flowsIndex(row.orgid, row.workspaceid),
          ...(seen.flow && { ':seen': seen.flow.last_build_no }),
        },
      },
    },
    ...(seen.owner ? [] : [claimOwnership(row)]),
    history(row, { action: 'created', by: row.created_by, to: row.status, request_id }),
    ...receipts,
    ...indexed(row),
  ]);
}

const claimOwnership = (row: StoredRow): Action => ({
  Put: {
    TableName: TableName(),
    Item: { ...keys.ownerKey(row.flowid), orgid: row.orgid, workspaceid: row.workspaceid },
    ConditionExpression: 'attribute_not_exists(pk)',
  },
});

/** False when the row is not the version that was read. */
export async function replaceRow(
  row: StoredRow,
  by: string,
  changed: readonly string[],
  request_id?: string,
): Promise<boolean> {
  return await commit([
    {
      Put: {
        TableName: TableName(),
        Item: rowItem(row),
        ConditionExpression: 'version = :seen',
        ExpressionAttributeValues: { ':seen': row.version - 1 },
      },
    },
    history(row, { action: 'updated', by, from: row.status, to: row.status, changed, request_id }),
    ...indexed(row),
  ]);
}

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
        TableName: TableName(),
        Key: keys.rowKey(row.a2aregistryid),
        ConditionExpression: 'version = :seen',
        ExpressionAttributeValues: { ':seen': row.version },
      },
    },
    {
      Update: {
        TableName: TableName(),
        Key: keys.flowKey(row.flowid, row.orgid, row.workspaceid),
        UpdateExpression: `SET updated_at = :at ADD build_count :less${isLive ? ' REMOVE live, live_version' : ''}`,
        ConditionExpression: isLive ? 'live = :id' : 'attribute_not_exists(live) OR live <> :id',
        ExpressionAttributeValues: { ':at': at, ':less': -1, ':id': row.a2aregistryid },
      },
    },
    history(
      { ...row, version: row.version + 1, updated_at: at },
      { action: 'deleted', by, from: row.status, request_id },
    ),
    ...unindexed(row),
  ]);
}

const history = (row: StoredRow, change: Change): Action => historyPut(TableName(), row, change);

/** True when committed, false when a condition failed or another transaction was in the way. */
async function commit(TransactItems: Action[]): Promise<boolean> {
  try {
    await documents.send(new TransactWriteCommand({ TransactItems }));
    return true;
  } catch (error) {
    if (conflictReasons(error)) return false;
    throw error;
  }
}
