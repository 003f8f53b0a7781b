// Many items in one call. DynamoDB may leave part of a batch undone (`UnprocessedKeys`, `UnprocessedItems`);
// that part is sent again.
import {
  BatchGetCommand,
  type BatchGetCommandInput,
  BatchWriteCommand,
  type BatchWriteCommandInput,
} from '@aws-sdk/lib-dynamodb';
import { awsLimits } from '#lib/aws-limits.ts';
import { retry } from '#lib/retry.ts';
import { type Table, tableName } from './client.ts';
import type { Item, Key } from './items.ts';

export const batchGetMax = awsLimits.dynamoBatchGetItems;

type Projection = Pick<
  NonNullable<BatchGetCommandInput['RequestItems']>[string],
  'ConsistentRead' | 'ProjectionExpression' | 'ExpressionAttributeNames'
>;

/** The items that exist, in no order; 100 keys at most. */
export async function batchGet(table: Table, keys: readonly Key[], options: Projection): Promise<Item[]> {
  const { items, isComplete } = await batchGetSome(table, keys, options);
  if (isComplete) return items;
  throw leftUndone();
}

/** One call may return 16 MB: 100 items of the largest kind take two or three. */
const getTriesMax = 8;

/** For reads that can do with part of the items. */
export async function batchGetSome(
  table: Table,
  keys: readonly Key[],
  options: Projection,
): Promise<{ readonly items: Item[]; readonly isComplete: boolean }> {
  const name = tableName(table);
  const items: Item[] = [];
  let pending: BatchGetCommandInput['RequestItems'] = {
    [name]: { Keys: keys.map((key) => ({ ...key })), ...options },
  };
  for (let tries = 0; tries < getTriesMax; tries += 1) {
    const command = new BatchGetCommand({ RequestItems: pending });
    const { Responses = {}, UnprocessedKeys = {} } = await table.client.send(command);
    items.push(...(Responses[name] ?? []));
    if (Object.keys(UnprocessedKeys).length === 0) return { items, isComplete: true };
    pending = UnprocessedKeys;
  }
  return { items, isComplete: false };
}

/**
 * The writes are independent: when this fails, some of them may have been made. One call for each 25, all in
 * flight at once.
 */
export const batchPut = async (table: Table, items: readonly (Item | Key)[]): Promise<void> =>
  await batchWrite(
    table,
    items.map((item) => ({ PutRequest: { Item: { ...item } } })),
  );

/** Like `batchPut`. */
export const batchDelete = async (table: Table, keys: readonly Key[]): Promise<void> =>
  await batchWrite(
    table,
    keys.map((key) => ({ DeleteRequest: { Key: { ...key } } })),
  );

type WriteRequests = NonNullable<BatchWriteCommandInput['RequestItems']>;
const batchWriteMax = awsLimits.dynamoBatchWriteItems;

async function batchWrite(table: Table, writes: WriteRequests[string]): Promise<void> {
  const batches: WriteRequests[] = [];
  for (let start = 0; start < writes.length; start += batchWriteMax)
    batches.push({ [tableName(table)]: writes.slice(start, start + batchWriteMax) });
  await Promise.all(batches.map((batch) => writeUntilDone(table, batch)));
}

async function writeUntilDone(table: Table, batch: WriteRequests): Promise<void> {
  let pending = batch;
  const isDone = await retry(
    async () => {
      const command = new BatchWriteCommand({ RequestItems: pending });
      const { UnprocessedItems = {} } = await table.client.send(command);
      pending = UnprocessedItems;
      return Object.keys(pending).length === 0 || undefined;
    },
    { triesMax: 5, pauseMs: 40 },
  );
  if (!isDone) throw leftUndone();
}

/** Named as DynamoDB names throttling, which is what it is: the caller gets a 503 and tries again. */
const leftUndone = () =>
  Object.assign(new Error('DynamoDB left part of a batch undone.'), { name: 'ThrottlingException' });
