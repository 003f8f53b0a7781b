// Gives all that is stored of a run the expiry of its header, for the few runs whose expiry changes: those
// that rest for days, once when they begin to, and once at their end.
import * as z from 'zod';
import { runsTable } from '#lib/dynamo/client.ts';
import { mustExist } from '#lib/dynamo/conditions.ts';
import { type Key, updateItemIf } from '#lib/dynamo/items.ts';
import { queryAll } from '#lib/dynamo/query.ts';
import { keepUntil } from './keep-until.ts';
import type { StoredRun } from './stored-run.ts';

const expiring = z.array(z.object({ sk: z.string(), ttl: z.number().optional() }));

/** The items are read again after each pass, since the run may continue, or end, at the same time. */
const passesMax = 5;
const concurrency = 25;

export async function expireTogether(runId: string): Promise<void> {
  const pk = `RUN#${runId}`;
  for (let pass = 0; pass < passesMax; pass += 1) {
    const items = await itemsOf(pk);
    const ttl = items.find(({ sk }) => sk === 'HEAD')?.ttl;
    const others = items.filter((item) => item.ttl !== ttl);
    if (ttl === undefined || others.length === 0) return;
    for (let start = 0; start < others.length; start += concurrency)
      await Promise.all(others.slice(start, start + concurrency).map(({ sk }) => setExpiry({ pk, sk }, ttl)));
  }
}

/**
 * Call it once the end of a run is stored. Most runs have never rested for long, and expire as they were to
 * from the beginning.
 */
export async function expireEarlier(run: Pick<StoredRun, 'run_id' | 'ttl'>): Promise<void> {
  if (run.ttl > keepUntil(Date.now())) await expireTogether(run.run_id);
}

const itemsOf = async (pk: string) =>
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
