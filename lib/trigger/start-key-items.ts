// The run that an Idempotency-Key of a start stands for: an item for each key, good for a day, so that tomorrow the same key starts another.
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { stringOf } from '#lib/aws-errors.ts';
import { documents } from '#lib/dynamo/client.ts';
import { requireEnv } from '#lib/env.ts';
import { newRunId, runIdOf } from '#lib/ids.ts';

export interface StartKey {
  readonly orgid: string;
  /** The id of the API key: each has names of its own. */
  readonly callerId: string;
  readonly key: string;
}

const goodForSeconds = 86_400;

export const startKeyItem = ({ orgid, callerId, key }: StartKey) => ({
  pk: `RUN#${runIdOf(JSON.stringify(['start', orgid, callerId, key]))}`,
  sk: 'KEY',
});

/** The same for all who ask within a day, whether or not there is such a run yet. One call. */
export async function runIdOfKey(named: StartKey, nowMs: number): Promise<string> {
  const run_id = newRunId();
  const now = Math.floor(nowMs / 1_000);
  try {
    await documents.send(
      new PutCommand({
        TableName: requireEnv('RUNS_TABLE'),
        Item: { ...startKeyItem(named), run_id, ttl: now + goodForSeconds },
        // DynamoDB removes expired items only after some time, up to days.
        ConditionExpression: 'attribute_not_exists(pk) OR #ttl <= :now',
        ExpressionAttributeNames: { '#ttl': 'ttl' },
        ExpressionAttributeValues: { ':now': now },
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      }),
    );
    return run_id;
  } catch (error) {
    const named_id = error instanceof ConditionalCheckFailedException && stringOf(error.Item, 'run_id');
    if (named_id) return named_id;
    throw error;
  }
}
