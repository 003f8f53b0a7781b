// How long runs are kept: for the days of the tenant, counted from their end. As nobody knows the end
// beforehand, the header expires when the run must have ended at the latest. A run that is paused for longer
// gets a later expiry, and its end an earlier one; both hold for all its items.
import * as z from 'zod';
import { runsTable } from '#lib/dynamo/client.ts';
import { mustExist } from '#lib/dynamo/conditions.ts';
import { type Key, updateItemIf } from '#lib/dynamo/items.ts';
import { queryAll } from '#lib/dynamo/query.ts';
import { requireEnv } from '#lib/env.ts';
import { runKey, type StoredRun } from './stored-run.ts';

/** A run that no worker has taken by then counts as failed. */
export const queueWaitMs = 12 * 3_600_000;

/**
 * The time that a queued run has from when a worker first takes it, or from the answer that it waited for, to
 * its end.
 */
export const queuedLimitMs = (): number => Number(requireEnv('BACKGROUND_LIMIT_SECONDS')) * 1_000;

const dayMs = 86_400_000;
export const retentionMs = (): number => Number(requireEnv('RUN_RETENTION_DAYS')) * dayMs;

/** A question that nobody answers stays open for longer than anybody waits. */
const openQuestionMs = 3_650 * dayMs;

const seconds = (ms: number) => Math.floor(ms / 1_000);

/** The `ttl` of a run that starts or ends at a time, also if it is queued first and takes all its time. */
export const keepUntil = (ms: number): number => seconds(ms + queueWaitMs + queuedLimitMs() + retentionMs());

/**
 * The `ttl` of a run that is paused until a time or, without one, until somebody resumes it. It is unchanged
 * as long as it is late enough.
 */
export function keepWhilePaused(
  { ttl }: Pick<StoredRun, 'ttl'>,
  wakeAt: number | undefined,
  now: number,
): number {
  const enough = wakeAt === undefined ? now + openQuestionMs / 2 : wakeAt;
  if (ttl >= seconds(enough + queuedLimitMs() + retentionMs())) return ttl;
  return keepUntil(wakeAt ?? now + openQuestionMs);
}

const expiring = z.array(z.object({ sk: z.string(), ttl: z.number().optional() }));

/** The items are read again after each pass, since the run may continue, or end, at the same time. */
const passesMax = 5;
const concurrency = 25;

/** Gives all items of a run the expiry of its header. Needed only by the few runs whose expiry changes. */
export async function expireTogether(runId: string): Promise<void> {
  const { pk } = runKey(runId);
  for (let pass = 0; pass < passesMax; pass += 1) {
    const items = await queryExpiries(pk);
    const ttl = items.find(({ sk }) => sk === 'HEAD')?.ttl;
    const others = items.filter((item) => item.ttl !== ttl);
    if (ttl === undefined || others.length === 0) return;
    for (let start = 0; start < others.length; start += concurrency)
      await Promise.all(others.slice(start, start + concurrency).map(({ sk }) => setExpiry({ pk, sk }, ttl)));
  }
}

/** Call it once the end of a run is stored. Most runs were never paused for long and keep their expiry. */
export async function expireEarlier(run: Pick<StoredRun, 'run_id' | 'ttl'>): Promise<void> {
  if (run.ttl > keepUntil(Date.now())) await expireTogether(run.run_id);
}

const queryExpiries = async (pk: string) =>
  expiring.parse(
    await queryAll(runsTable, {
      KeyConditionExpression: 'pk = :pk',
      ProjectionExpression: 'sk, #ttl',
      ExpressionAttributeNames: { '#ttl': 'ttl' },
      ExpressionAttributeValues: { ':pk': pk },
      ConsistentRead: true,
    }),
  );

/** Nothing happens to an item that is gone, such as a chunk of a former snapshot. */
async function setExpiry(key: Key, ttl: number): Promise<void> {
  await updateItemIf(runsTable, key, {
    UpdateExpression: 'SET #ttl = :ttl',
    ...mustExist,
    ExpressionAttributeNames: { '#ttl': 'ttl' },
    ExpressionAttributeValues: { ':ttl': ttl },
  });
}
