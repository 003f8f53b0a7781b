// The request counts that all processes share, in the runs table: short-lived items, one per caller and
// window.
import * as z from 'zod';
import { lowLatencyRunsTable } from '#lib/dynamo/client.ts';
import { updateItem } from '#lib/dynamo/items.ts';
import { windowSeconds } from './tenant-limits.ts';

const keptSeconds = 3_600;
const counter = z.object({ requests: z.number() });

/**
 * Returns the new count. When the answer gets lost the SDK counts twice, which errs on the side of fewer
 * requests.
 */
export async function addRequests(id: string, window: number, count: number): Promise<number> {
  const key = { pk: `LIMIT#${id}`, sk: `W#${window}` };
  const attributes = await updateItem(lowLatencyRunsTable, key, {
    UpdateExpression: 'SET #ttl = :ttl ADD requests :count',
    ExpressionAttributeNames: { '#ttl': 'ttl' },
    ExpressionAttributeValues: { ':count': count, ':ttl': (window + 1) * windowSeconds + keptSeconds },
    ReturnValues: 'UPDATED_NEW',
  });
  return counter.parse(attributes).requests;
}
