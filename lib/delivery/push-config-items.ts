// The items of push notification configurations, in the partition of their run. The header of the run counts
// them, in the transaction that adds or removes one. A worker delivers for a configuration while it holds its
// claim, and every record of a delivery is conditional on that claim.
import { runsTable } from '#lib/dynamo/client.ts';
import { isFailedConditionReason, mustExist, mustNotExist } from '#lib/dynamo/conditions.ts';
import { getItem, putItem, putItemIf, updateItemIf } from '#lib/dynamo/items.ts';
import { queryAll } from '#lib/dynamo/query.ts';
import { transactWrite } from '#lib/dynamo/transactions.ts';
import { ServiceError } from '#lib/errors.ts';
import { retry } from '#lib/retry.ts';
import { runKey, type StoredRun } from '#lib/run/stored-run.ts';
import type { Attempt } from './attempt.ts';
import {
  configKey,
  configPrefix,
  type PushCursor,
  type StoredPushConfig,
  storedPushConfig,
} from './push-config.ts';

export const configsMax = 10;

type RunOfConfigs = Pick<StoredRun, 'run_id' | 'ttl'>;

const toItem = ({ run_id, ttl }: RunOfConfigs, config: StoredPushConfig) => ({
  ...configKey(run_id, config.config_id),
  ...config,
  ttl,
});

/** For a task that is not stored yet; its header is stored with the count. */
export async function putFirstConfig(run: RunOfConfigs, config: StoredPushConfig): Promise<void> {
  await putItem(runsTable, toItem(run, config));
}

/** Adds the configuration, or replaces the one with its id. False when the task has `configsMax` others. */
export async function putConfig(run: RunOfConfigs, config: StoredPushConfig): Promise<boolean> {
  const item = toItem(run, config);
  const outcome = await retry(
    async () => ((await putItemIf(runsTable, item, mustExist)) ? 'stored' : await addConfig(run, item)),
    { triesMax: 6, pauseMs: 40 },
  );
  if (!outcome) throw contended();
  return outcome === 'stored';
}

/** Undefined when another request changes the task or adds the same configuration at this moment. */
async function addConfig({ run_id }: RunOfConfigs, Item: object): Promise<'stored' | 'too many' | undefined> {
  const reasons = await transactWrite(runsTable, [
    {
      Update: {
        Key: runKey(run_id),
        UpdateExpression: 'SET push_configs = if_not_exists(push_configs, :none) + :one',
        ConditionExpression:
          'attribute_exists(pk) AND (attribute_not_exists(push_configs) OR push_configs < :max)',
        ExpressionAttributeValues: { ':none': 0, ':one': 1, ':max': configsMax },
      },
    },
    { Put: { Item: { ...Item }, ...mustNotExist } },
  ]);
  if (!reasons) return 'stored';
  return isFailedConditionReason(reasons[0]) && !isFailedConditionReason(reasons[1]) ? 'too many' : undefined;
}

/** Has no effect when there is no such configuration. */
export async function deleteConfig(runId: string, configId: string): Promise<void> {
  const outcome = await retry(
    async () => {
      const reasons = await transactWrite(runsTable, [
        { Delete: { Key: configKey(runId, configId), ...mustExist } },
        {
          Update: {
            Key: runKey(runId),
            UpdateExpression: 'SET push_configs = push_configs - :one',
            ...mustExist,
            ExpressionAttributeValues: { ':one': 1 },
          },
        },
      ]);
      return !reasons || isFailedConditionReason(reasons[0]) ? 'done' : undefined;
    },
    { triesMax: 6, pauseMs: 40 },
  );
  if (!outcome) throw contended();
}

const contended = () =>
  new ServiceError('dependency_unavailable', { cause: 'The header of the run is contended.' });

export async function readConfig(runId: string, configId: string): Promise<StoredPushConfig | undefined> {
  const item = await getItem(runsTable, configKey(runId, configId));
  return item && storedPushConfig.parse(item);
}

/** All of a task, by id. */
export async function readConfigs(runId: string): Promise<StoredPushConfig[]> {
  const items = await queryAll(runsTable, {
    KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
    ExpressionAttributeValues: { ':pk': runKey(runId).pk, ':prefix': configPrefix },
    ConsistentRead: true,
  });
  return items.map((item) => storedPushConfig.parse(item));
}

/** A worker delivers what follows the cursor of a configuration as it has read it. */
export interface Claim {
  readonly runId: string;
  readonly config: StoredPushConfig;
  /** Until when it is held. */
  readonly untilMs: number;
}

/** False when the configuration is not as it was read, or another worker holds the claim. */
export async function claimConfig({ runId, config, untilMs }: Claim, nowMs: number): Promise<boolean> {
  return await update(runId, config, {
    change: 'busy_until = :until',
    condition: '#state = :waiting AND busy_until < :now AND #cursor = :cursor AND size(attempts) = :failures',
    values: {
      ':until': untilMs,
      ':waiting': 'waiting',
      ':now': nowMs,
      ':cursor': config.cursor,
      ':failures': config.attempts.length,
    },
  });
}

/** What follows an attempt. Each is false when the claim is lost, or the configuration replaced or deleted. */
interface Delivered {
  readonly cursor: PushCursor;
  readonly at: string;
  /** Nothing is left to deliver, ever. */
  readonly isEnd: boolean;
  /** Gives the claim back. */
  readonly isLast: boolean;
}

export async function recordDelivered(claim: Claim, delivered: Delivered): Promise<boolean> {
  const { cursor, at, isEnd, isLast } = delivered;
  return await update(claim.runId, claim.config, {
    change:
      'busy_until = :free, #cursor = :cursor, #state = :state, delivered = delivered + :one, last_delivered_at = :at, attempts = :none REMOVE next_attempt_at',
    condition: 'busy_until = :until',
    values: {
      ':until': claim.untilMs,
      ':free': isLast ? 0 : claim.untilMs,
      ':cursor': cursor,
      ':state': isEnd ? 'delivered' : 'waiting',
      ':one': 1,
      ':at': at,
      ':none': [],
    },
  });
}

interface Failed {
  readonly attempt: Attempt;
  /** Absent when it was the last attempt. */
  readonly nextAttemptAt: string | undefined;
}

export async function recordFailed(claim: Claim, { attempt, nextAttemptAt }: Failed): Promise<boolean> {
  return await update(claim.runId, claim.config, {
    change: `busy_until = :free, #state = :state, attempts = list_append(attempts, :made)${nextAttemptAt === undefined ? ' REMOVE next_attempt_at' : ', next_attempt_at = :next'}`,
    condition: 'busy_until = :until',
    values: {
      ':until': claim.untilMs,
      ':free': 0,
      ':state': nextAttemptAt === undefined ? 'given_up' : 'waiting',
      ':made': [attempt],
      ...(nextAttemptAt !== undefined && { ':next': nextAttemptAt }),
    },
  });
}

export async function releaseConfig(claim: Claim): Promise<boolean> {
  return await update(claim.runId, claim.config, {
    change: 'busy_until = :free',
    condition: 'busy_until = :until',
    values: { ':until': claim.untilMs, ':free': 0 },
  });
}

/** Lets a configuration that was given up try again. False when it is not given up, replaced or deleted. */
export async function reopenConfig(runId: string, config: StoredPushConfig): Promise<boolean> {
  return await update(runId, config, {
    change: '#state = :waiting, attempts = :none',
    condition: '#state = :given_up',
    values: { ':waiting': 'waiting', ':given_up': 'given_up', ':none': [] },
  });
}

interface ConfigUpdate {
  readonly change: string;
  readonly condition: string;
  readonly values: Readonly<Record<string, unknown>>;
}

async function update(
  runId: string,
  { config_id, version }: StoredPushConfig,
  { change, condition, values }: ConfigUpdate,
): Promise<boolean> {
  const texts = [change, condition].join(' ');
  const names = { '#state': 'state', '#cursor': 'cursor', '#version': 'version' };
  const used = Object.entries(names).filter(([name]) => name === '#version' || texts.includes(name));
  return await updateItemIf(runsTable, configKey(runId, config_id), {
    UpdateExpression: `SET ${change}`,
    ConditionExpression: `#version = :version AND ${condition}`,
    ExpressionAttributeNames: Object.fromEntries(used),
    ExpressionAttributeValues: { ...values, ':version': version },
  });
}
