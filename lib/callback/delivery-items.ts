// The item of a run's callback in the runs table: its attempts so far, and whether more will follow.
import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { unlessConditionFails } from '#lib/aws-errors.ts';
import { documents } from '#lib/dynamo/client.ts';
import { requireEnv } from '#lib/env.ts';
import type { StoredRun } from '#lib/run/stored-run.ts';
import { type Attempt, type StoredDelivery, storedDelivery } from './delivery.ts';

const TableName = () => requireEnv('RUNS_TABLE');
const itemKey = (runId: string) => ({ pk: `RUN#${runId}`, sk: 'CALLBACK' });

export async function readDelivery(runId: string): Promise<StoredDelivery | undefined> {
  const { Item } = await documents.send(
    new GetCommand({ TableName: TableName(), Key: itemKey(runId), ConsistentRead: true }),
  );
  return Item && storedDelivery.parse(Item);
}

interface Turn {
  readonly run: Pick<StoredRun, 'run_id' | 'ttl'>;
  /** Of the attempt, from 0. */
  readonly number: number;
}

/** Takes the next attempt, until `untilMs`. False when another message is at it, or was. */
export async function claimAttempt({ run, number }: Turn, nowMs: number, untilMs: number): Promise<boolean> {
  return await unlessConditionFails(
    documents.send(
      new UpdateCommand({
        TableName: TableName(),
        Key: itemKey(run.run_id),
        UpdateExpression:
          'SET attempts = if_not_exists(attempts, :none), #state = if_not_exists(#state, :waiting), busy_until = :until, #ttl = :ttl',
        ConditionExpression:
          'attribute_not_exists(pk) OR (size(attempts) = :number AND #state = :waiting AND busy_until < :now)',
        ExpressionAttributeNames: { '#state': 'state', '#ttl': 'ttl' },
        ExpressionAttributeValues: {
          ':none': [],
          ':waiting': 'waiting',
          ':number': number,
          ':now': nowMs,
          ':until': untilMs,
          ':ttl': run.ttl,
        },
      }),
    ),
  );
}

interface Outcome extends Turn, Omit<StoredDelivery, 'attempts'> {
  readonly attempt: Attempt;
}

/** Nothing happens when the attempt is recorded already. */
export async function recordAttempt({
  run,
  number,
  attempt,
  state,
  next_attempt_at,
}: Outcome): Promise<void> {
  await unlessConditionFails(
    documents.send(
      new UpdateCommand({
        TableName: TableName(),
        Key: itemKey(run.run_id),
        UpdateExpression: [
          'SET attempts = list_append(attempts, :made), #state = :state, busy_until = :free',
          next_attempt_at === undefined ? 'REMOVE next_attempt_at' : ', next_attempt_at = :next',
        ].join(' '),
        ConditionExpression: 'size(attempts) = :number',
        ExpressionAttributeNames: { '#state': 'state' },
        ExpressionAttributeValues: {
          ':made': [attempt],
          ':state': state,
          ':free': 0,
          ':number': number,
          ...(next_attempt_at !== undefined && { ':next': next_attempt_at }),
        },
      }),
    ),
  );
}
