// Items written straight into the control table, many at a time.
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { BatchWriteCommand, DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { requireEnv } from '#lib/env.ts';

export type Item = Record<string, unknown>;

const atOnce = 4;
const batchItems = 25;

export async function putItems(items: readonly Item[]): Promise<void> {
  const client = DynamoDBDocumentClient.from(new DynamoDBClient({}));
  const write = async (some: readonly Item[]) => {
    const puts = some.map((Item) => ({ PutRequest: { Item } }));
    await client.send(new BatchWriteCommand({ RequestItems: { [requireEnv('CONTROL_TABLE')]: puts } }));
  };
  for (let n = 0; n < items.length; n += batchItems * atOnce) {
    const round = items.slice(n, n + batchItems * atOnce);
    const starts = Array.from({ length: atOnce }, (_, lane) => lane * batchItems);
    const batches = starts.map((start) => round.slice(start, start + batchItems));
    await Promise.all(batches.filter((batch) => batch.length > 0).map(write));
  }
}
