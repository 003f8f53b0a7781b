// The run that an Idempotency-Key of a start stands for: an item for each key, good for a day, so that
// tomorrow the same key starts another.
import { runsTable } from '#lib/dynamo/client.ts';
import { readString } from '#lib/dynamo/conditions.ts';
import { claimItem } from '#lib/dynamo/items.ts';
import { deriveRunId, newRunId } from '#lib/ids.ts';

export interface StartKey {
  readonly orgid: string;
  /** The id of the API key: each has names of its own. */
  readonly callerId: string;
  readonly key: string;
}

const goodForSeconds = 86_400;

export const startKeyItem = ({ orgid, callerId, key }: StartKey) => ({
  pk: `RUN#${deriveRunId(JSON.stringify(['start', orgid, callerId, key]))}`,
  sk: 'KEY',
});

/** The same for all who ask within a day, whether or not there is such a run yet. One call. */
export async function resolveKeyRunId(named: StartKey, nowMs: number): Promise<string> {
  const run_id = newRunId();
  const now = Math.floor(nowMs / 1_000);
  const item = { ...startKeyItem(named), run_id, ttl: now + goodForSeconds };
  const earlier = await claimItem(runsTable, item, {
    // DynamoDB removes expired items only after some time, up to days.
    ConditionExpression: 'attribute_not_exists(pk) OR #ttl <= :now',
    ExpressionAttributeNames: { '#ttl': 'ttl' },
    ExpressionAttributeValues: { ':now': now },
  });
  if (!earlier) return run_id;
  const earlierId = readString(earlier, 'run_id');
  if (earlierId) return earlierId;
  throw new Error('The item of an Idempotency-Key names no run.');
}
