// Reads the history of one row, newest first. Says nothing about who may see it.
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { clientConfig } from '#lib/aws.ts';
import { requireEnv } from '#lib/env.ts';
import { historyKey } from '../keys.ts';
import { type HistoryEntry, storedHistoryEntry } from './entry.ts';

const client = DynamoDBDocumentClient.from(new DynamoDBClient(clientConfig));

/** Entries are small, so that a page of 200 is one call. */
export async function queryHistory(
  id: string,
  beforeVersion: number,
  limit: number,
): Promise<HistoryEntry[]> {
  const { Items = [] } = await client.send(
    new QueryCommand({
      TableName: requireEnv('CONTROL_TABLE'),
      KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :last',
      ExpressionAttributeValues: {
        ':pk': historyKey(id, 0).pk,
        ':first': historyKey(id, 0).sk,
        ':last': historyKey(id, beforeVersion - 1).sk,
      },
      ConsistentRead: true,
      ScanIndexForward: false,
      Limit: limit,
    }),
  );
  return Items.map((item) => storedHistoryEntry.parse(item));
}
