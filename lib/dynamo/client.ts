// The two DynamoDB clients that all stores share: one pool of connections each, so that a cold start shakes hands once and not per store.
// And the reading and writing of many items at once, which several stores do.
import { setTimeout } from 'node:timers/promises';
import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import {
  BatchWriteCommand,
  type BatchWriteCommandInput,
  DynamoDBDocumentClient,
  QueryCommand,
  type QueryCommandInput,
  TransactWriteCommand,
  type TransactWriteCommandInput,
} from '@aws-sdk/lib-dynamodb';
import { clientConfig, hastyClientConfig } from '#lib/aws.ts';
import { conflictReasons } from '#lib/aws-errors.ts';
import { awsLimits } from '#lib/aws-limits.ts';
import { fullJitterMs, retryOnConflict } from './retry-on-conflict.ts';

const marshallOptions = { removeUndefinedValues: true };

/** Around all that the SDK does for a command, its own retries included. */
function retryingClient(config: DynamoDBClientConfig): DynamoDBDocumentClient {
  const client = new DynamoDBClient(config);
  client.middlewareStack.add((next) => (args) => retryOnConflict(() => next(args)), {
    name: 'retryOnConflict',
    step: 'initialize',
    priority: 'high',
  });
  return DynamoDBDocumentClient.from(client, { marshallOptions });
}

export const documents = retryingClient(clientConfig);
/** For calls beside the request's own, which it must not wait long for. */
export const hastyDocuments = retryingClient(hastyClientConfig);

/** All items that a query finds, one call for each megabyte. */
export const queryAll = async (input: QueryCommandInput): Promise<Record<string, unknown>[]> =>
  await queryFirst(input, Number.POSITIVE_INFINITY);

/**
 * The first items that a query finds, `count` unless there are no more. A page that is shorter than its limit is not the last (DynamoDB reads a
 * megabyte at a time); only one without a key to go on from is.
 */
export async function queryFirst(
  input: Omit<QueryCommandInput, 'Limit'>,
  count: number,
  client = documents,
): Promise<Record<string, unknown>[]> {
  const found: Record<string, unknown>[] = [];
  let { ExclusiveStartKey } = input;
  do {
    const limit = Number.isFinite(count) ? { Limit: count - found.length } : {};
    const page = await client.send(new QueryCommand({ ...input, ...limit, ExclusiveStartKey }));
    found.push(...(page.Items ?? []));
    ExclusiveStartKey = page.LastEvaluatedKey;
  } while (ExclusiveStartKey && found.length < count);
  return found;
}

export type TransactionAction = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

/**
 * All of it or none; why others came first, undefined when it is done. Also for a single action: one that is sent again because its answer got
 * lost does not meet its own effect.
 */
export async function commit(TransactItems: TransactionAction[]) {
  try {
    await documents.send(new TransactWriteCommand({ TransactItems }));
    return undefined;
  } catch (error) {
    const reasons = conflictReasons(error);
    if (reasons) return reasons;
    throw error;
  }
}

/** The bytes of chunks that were read in order; undefined when one is missing. */
export function joined(chunks: readonly Record<string, unknown>[], count: number): Uint8Array | undefined {
  const parts = chunks.flatMap(({ bytes }) => (bytes instanceof Uint8Array ? [bytes] : []));
  return parts.length === count ? Buffer.concat(parts) : undefined;
}

type Requests = NonNullable<BatchWriteCommandInput['RequestItems']>;
const batchMax = awsLimits.dynamoBatchWriteItems;
const triesMax = 5;

/** Each write stands for itself: when this fails, some may have been done. One call for each 25, all under way at once. */
export async function writeBatch(TableName: string, writes: Requests[string]): Promise<void> {
  const batches: Requests[] = [];
  for (let start = 0; start < writes.length; start += batchMax)
    batches.push({ [TableName]: writes.slice(start, start + batchMax) });
  await Promise.all(batches.map(writeAll));
}

/** DynamoDB may leave part of a batch undone; that part is sent again, a few times with growing pauses, and then it is a failure. */
async function writeAll(requests: Requests): Promise<void> {
  let pending = requests;
  for (let tries = 1; ; tries += 1) {
    const { UnprocessedItems = {} } = await documents.send(new BatchWriteCommand({ RequestItems: pending }));
    if (Object.keys(UnprocessedItems).length === 0) return;
    if (tries === triesMax) break;
    pending = UnprocessedItems;
    await setTimeout(fullJitterMs(tries));
  }
  throw Object.assign(new Error('DynamoDB left part of a batch undone.'), { name: 'ThrottlingException' });
}
