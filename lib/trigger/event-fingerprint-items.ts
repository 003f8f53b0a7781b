// Reads the fingerprint of the event that a run began with from the header of the run, and nothing else of
// it.
import { lowLatencyRunsTable } from '#lib/dynamo/client.ts';
import { getItem } from '#lib/dynamo/items.ts';
import { headKey } from '#lib/run/stored-run.ts';

/** In ms. The webhook promises an answer within 3 s, of which sending the message may take two. */
const readTimeoutMs = 500;

/**
 * Undefined where there is no such run, or none that an event began. The read is eventually consistent, at
 * half the price: an accepted event has no run until a worker begins it, so a moment more makes no
 * difference.
 */
export async function readEventFingerprint(run_id: string): Promise<string | undefined> {
  const item = await getItem(lowLatencyRunsTable, headKey(run_id), {
    ConsistentRead: false,
    ProjectionExpression: 'fingerprint',
    abortSignal: AbortSignal.timeout(readTimeoutMs),
  });
  return typeof item?.fingerprint === 'string' ? item.fingerprint : undefined;
}
