// The item of a run's callback in the runs table: its attempts so far, and whether more will follow.
import type { Attempt } from '#lib/delivery/attempt.ts';
import { runsTable } from '#lib/dynamo/client.ts';
import { getItem, updateItemIf } from '#lib/dynamo/items.ts';
import type { StoredRun } from '#lib/run/stored-run.ts';
import { type StoredDelivery, storedDelivery } from './delivery.ts';

const itemKey = (runId: string) => ({ pk: `RUN#${runId}`, sk: 'CALLBACK' });

export async function readDelivery(runId: string): Promise<StoredDelivery | undefined> {
  const item = await getItem(runsTable, itemKey(runId));
  return item && storedDelivery.parse(item);
}

interface AttemptKey {
  readonly run: Pick<StoredRun, 'run_id' | 'ttl'>;
  /** Attempts count from 0. */
  readonly number: number;
}

/** Claims the next attempt, until `untilMs`. False when another worker is making it, or has made it. */
export async function claimAttempt(
  { run, number }: AttemptKey,
  nowMs: number,
  untilMs: number,
): Promise<boolean> {
  return await updateItemIf(runsTable, itemKey(run.run_id), {
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
  });
}

interface RecordedAttempt extends AttemptKey, Omit<StoredDelivery, 'attempts'> {
  readonly attempt: Attempt;
}

/** Has no effect when the attempt is recorded already. */
export async function recordAttempt({
  run,
  number,
  attempt,
  state,
  next_attempt_at,
}: RecordedAttempt): Promise<void> {
  await updateItemIf(runsTable, itemKey(run.run_id), {
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
  });
}
