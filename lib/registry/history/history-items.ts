// Reads the history of one row, newest first. Says nothing about who may see it.
import { controlTable } from '#lib/dynamo/client.ts';
import { queryFirst } from '#lib/dynamo/query.ts';
import { historyKey } from '../keys.ts';
import { type HistoryEntry, storedHistoryEntry } from './entry.ts';

/** Entries are small, so that a page of 200 is one call. */
export async function queryHistory(
  id: string,
  beforeVersion: number,
  limit: number,
): Promise<HistoryEntry[]> {
  const items = await queryFirst(
    controlTable,
    {
      KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :last',
      ExpressionAttributeValues: {
        ':pk': historyKey(id, 0).pk,
        ':first': historyKey(id, 0).sk,
        ':last': historyKey(id, beforeVersion - 1).sk,
      },
      ConsistentRead: true,
      ScanIndexForward: false,
    },
    limit,
  );
  return items.map((item) => storedHistoryEntry.parse(item));
}
