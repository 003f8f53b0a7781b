// The counts that all processes share, in the runs table: short-lived items, one per caller and window, gone soon after.
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { hastyDocuments } from '#lib/dynamo/client.ts';
import { requireEnv } from '#lib/env.ts';
import { windowSeconds } from './tenant-limits.ts';

const keptSeconds = 3_600;
const counter = z.object({ requests: z.number() });

/** An answer that gets lost makes the SDK count twice, which errs on the side of less. */
export async function addRequests(id: string, window: number, count: number): Promise<number> {
  const { Attributes } = await hastyDocuments.send(
    new UpdateCommand({
      TableName: requireEnv('RUNS_TABLE'),
      Key: { pk: `LIMIT#${id}`, sk: `W#${window}` },
      UpdateExpression: 'SET #ttl = :ttl ADD requests :count',
      ExpressionAttributeNames: { '#ttl': 'ttl' },
      ExpressionAttributeValues: { ':count': count, ':ttl': (window + 1) * windowSeconds + keptSeconds },
      ReturnValues: 'UPDATED_NEW',
    }),
  );
  return counter.parse(Attributes).requests;
}
