// Batches of the control table, for items that a transaction need not hold: they are written before it and removed after it. And rows, many at once.
import {
  BatchGetCommand,
  type BatchGetCommandInput,
  type BatchGetCommandOutput,
  BatchWriteCommand,
  type BatchWriteCommandInput,
} from '@aws-sdk/lib-dynamodb';
import { requireEnv } from '#lib/env.ts';
import { documents } from '#lib/store.ts';
import { rowKey } from '../keys.ts';
import { type StoredRow, storedRow } from '../stored.ts';

const TableName = () => requireEnv('CONTROL_TABLE');
type Requests = NonNullable<BatchWriteCommandInput['RequestItems']>;
/** What DynamoDB takes in one call. */
const writesMax = 25;
export const batchRowsMax = 100;

/** Puts and deletions in any order, one call for each 25, all under way at once. */
export async function writeBatches(requests: Requests[string]): Promise<void> {
  const batches: Requests[string][] = [];
  for (let n = 0; n < requests.length; n += writesMax) batches.push(requests.slice(n, n + writesMax));
  await Promise.all(batches.map(writeBatch));
}

/** DynamoDB may leave part of a batch undone; that part is sent again, a few times, and then it is a failure. */
async function writeBatch(requests: Requests[string]): Promise<void> {
  let pending: Requests = { [TableName()]: requests };
  for (let attempt = 0; attempt < 5; attempt += 1) {
    const { UnprocessedItems = {} } = await documents.send(new BatchWriteCommand({ RequestItems: pending }));
    if (Object.keys(UnprocessedItems).length === 0) return;
    pending = UnprocessedItems;
  }
  throw undone();
}

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
  throw undone();
}

/** 16 MB fit into one answer: 100 rows of the largest kind take two or three. */
const attemptsMax = 8;

const undone = () =>
  Object.assign(new Error('DynamoDB left part of a batch undone.'), { name: 'ThrottlingException' });
