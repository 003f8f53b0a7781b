// Identifies the event that began a run, so that another event under the same name is noticed.
import { lowLatencyRunsTable } from '#lib/dynamo/client.ts';
import { getItem } from '#lib/dynamo/items.ts';
import { computeFingerprint } from '#lib/fingerprint.ts';
import { runKey } from '#lib/run/stored-run.ts';
import type { WebhookBody } from '#lib/run/trigger.ts';

/**
 * It includes the run, so that the fingerprints in the table do not show which runs began with equal events.
 */
export const computeEventFingerprint = (run_id: string, event: WebhookBody): string =>
  computeFingerprint([run_id, event]);

/** In ms. The webhook promises an answer within 3 s, of which sending the message may take two. */
const readTimeoutMs = 500;

/**
 * Reads it from the header of the run. Undefined where there is no such run, or none that an event began. The
 * read is eventually consistent, at half the price: an accepted event has no run until a worker begins it, so
 * a moment more makes no difference.
 */
export async function readEventFingerprint(run_id: string): Promise<string | undefined> {
  const item = await getItem(lowLatencyRunsTable, runKey(run_id), {
    ConsistentRead: false,
    ProjectionExpression: 'fingerprint',
    abortSignal: AbortSignal.timeout(readTimeoutMs),
  });
  return typeof item?.fingerprint === 'string' ? item.fingerprint : undefined;
}
