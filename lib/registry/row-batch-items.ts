// Rows by their ids, many at once.
import {
  BatchGetCommand,
  type BatchGetCommandInput,
  type BatchGetCommandOutput,
} from '@aws-sdk/lib-dynamodb';
import { awsLimits } from '#lib/aws-limits.ts';
import { documents } from '#lib/dynamo/client.ts';
import { requireEnv } from '#lib/env.ts';
import { rowKey } from './keys.ts';
import { type StoredRow, storedRow } from './stored-row.ts';

const TableName = () => requireEnv('CONTROL_TABLE');
export const batchRowsMax = awsLimits.dynamoBatchGetItems;

/** The rows that exist, by id, as they are now; at most 100. DynamoDB may leave part of a batch undone: that part is asked for again. */
export async function readRows(ids: readonly string[]): Promise<Map<string, StoredRow>> {
  const rows = new Map<string, StoredRow>();
  let pending: BatchGetCommandInput['RequestItems'] = {
    [TableName()]: { Keys: ids.map(rowKey), ConsistentRead: true },
  };
  for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
    const answer: BatchGetCommandOutput = await documents.send(
      new BatchGetCommand({ RequestItems: pending }),
    );
    const { Responses = {}, UnprocessedKeys = {} } = answer;
    for (const item of Responses[TableName()] ?? []) {
      const row = storedRow.parse(item);
      rows.set(row.a2aregistryid, row);
    }
    if (Object.keys(UnprocessedKeys).length === 0) return rows;
    pending = UnprocessedKeys;
  }
  throw Object.assign(new Error('DynamoDB left part of a batch undone.'), { name: 'ThrottlingException' });
}

/** 16 MB fit into one answer: 100 rows of the largest kind take two or three. */
const attemptsMax = 8;
