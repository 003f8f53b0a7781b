// Reads the fingerprint of the event that a run began with from the header of the run, and nothing else of it.
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { hastyDocuments } from '#lib/dynamo/client.ts';
import { requireEnv } from '#lib/env.ts';
import { headKey } from '#lib/run/keys.ts';

/** In ms. The webhook promises an answer within 3 s, of which sending the message may take two. */
const readTimeoutMs = 500;

/**
 * Undefined where there is no such run, or none that an event began. The read is eventually consistent, at half the price: an accepted event
 * has no run until a worker begins it, so a moment more makes no difference.
 */
export async function readEventFingerprint(run_id: string): Promise<string | undefined> {
  const { Item } = await hastyDocuments.send(
    new GetCommand({
      TableName: requireEnv('RUNS_TABLE'),
      Key: headKey(run_id),
      ProjectionExpression: 'fingerprint',
    }),
    { abortSignal: AbortSignal.timeout(readTimeoutMs) },
  );
  return typeof Item?.fingerprint === 'string' ? Item.fingerprint : undefined;
}
