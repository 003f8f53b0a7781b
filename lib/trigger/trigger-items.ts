// The items of declared triggers in the control table. A schedule that is to run is also in the index of what
// is due, and a trigger with a source in that of addresses, as part of the same item, so no change of a trigger
// leaves the two apart.
import * as z from 'zod';
import { boundedMap } from '#lib/bounded-map.ts';
import { controlTable, lowLatencyControlTable } from '#lib/dynamo/client.ts';
import { isFailedConditionReason, mustNotExist } from '#lib/dynamo/conditions.ts';
import { ifUnchanged } from '#lib/dynamo/etag.ts';
import { getItem } from '#lib/dynamo/items.ts';
import { queryFirst, queryPages } from '#lib/dynamo/query.ts';
import { type TransactionAction, transactWrite } from '#lib/dynamo/transactions.ts';
import {
  type FoundBuild,
  findItem,
  findLiveBuild,
  readWithBudgets,
} from '#lib/environment/environment-items.ts';
import { built } from '#lib/json/built-schema.ts';
import { shardOf } from '#lib/schedule/due-shards.ts';
import { type StoredTrigger, storedTrigger } from './stored-trigger.ts';

type Id = Pick<StoredTrigger, 'orgid' | 'trigger_id'>;

const triggerKey = ({ orgid, trigger_id }: Id) => ({
  pk: `TRIGGER#${orgid}#${trigger_id}`,
  sk: 'META',
});
export const workspaceIndex = (orgid: string, workspaceid: string) => `TRIGGERS#${orgid}#${workspaceid}`;
const listPosition = ({ created_at, trigger_id }: StoredTrigger) => `${created_at}#${trigger_id}`;
/** The schedules of all organisations of the tenant, in the order in which they are due. */
const dueAt = ({ orgid, trigger_id }: Id, due: string) => ({
  gsi2pk: shardOf(orgid, trigger_id),
  gsi2sk: `${due}#${orgid}#${trigger_id}`,
});
/** The address of a trigger with a source. */
const addressIndex = (webhook_id: string) => `HOOK#${webhook_id}`;

/** The item of a trigger: the trigger itself, and its places in the indexes. */
export const triggerItem = (trigger: StoredTrigger) => ({
  ...triggerKey(trigger),
  gsi1pk: workspaceIndex(trigger.orgid, trigger.workspaceid),
  gsi1sk: listPosition(trigger),
  ...(trigger.next_due !== undefined && {
    ...dueAt(trigger, trigger.next_due),
  }),
  ...(trigger.webhook_id !== undefined && {
    gsi2pk: addressIndex(trigger.webhook_id),
    gsi2sk: trigger.orgid,
  }),
  ...trigger,
});

export async function readTrigger(id: Id): Promise<StoredTrigger | undefined> {
  const item = await getItem(controlTable, triggerKey(id));
  return item && storedTrigger.parse(item);
}

/** The trigger, and the budgets of its organisation: one call. */
export async function readTriggerToRun(id: Id): Promise<StoredTrigger | undefined> {
  const found = findItem(await readWithBudgets(id.orgid, [triggerKey(id)]), triggerKey(id));
  return found && storedTrigger.parse(found);
}

/** The flow that a declared trigger started when this process last looked, by the key of the item. */
const lastFlow = boundedMap<string, Pick<StoredTrigger, 'workspaceid' | 'flowid'>>({ entriesMax: 1_000 });

interface TriggerWithBuild {
  readonly trigger: StoredTrigger | undefined;
  /** The live build of its flow; absent if it was not read with the trigger. */
  readonly build?: FoundBuild | undefined;
}

/** One call: reads the live build with the trigger, if the trigger still starts the same flow as the last time. */
export async function readTriggerWithBuild(id: Id): Promise<TriggerWithBuild> {
  const key = triggerKey(id);
  const guess = lastFlow.get(key.pk);
  if (!guess) return { trigger: rememberFlow(await readTrigger(id)) };
  const { build, items } = await findLiveBuild({ orgid: id.orgid, ...guess }, [key]);
  const found = findItem(items, key);
  const trigger = found && storedTrigger.parse(found);
  if (trigger?.workspaceid === guess.workspaceid && trigger.flowid === guess.flowid)
    return { trigger, build };
  lastFlow.delete(key.pk);
  return { trigger: rememberFlow(trigger) };
}

function rememberFlow(trigger: StoredTrigger | undefined): StoredTrigger | undefined {
  if (trigger)
    lastFlow.set(triggerKey(trigger).pk, { workspaceid: trigger.workspaceid, flowid: trigger.flowid });
  return trigger;
}

/**
 * The triggers of a shard that are due at a time (RFC 3339), longest due first, so many at once, from an index that
 * lags behind writes by moments.
 */
export async function* queryDue(shard: string, until: string, limit: number): AsyncGenerator<Id[], void> {
  const pages = queryPages(controlTable, {
    IndexName: 'gsi2',
    KeyConditionExpression: 'gsi2pk = :pk AND gsi2sk <= :until',
    // The time itself is followed by the separator.
    ExpressionAttributeValues: { ':pk': shard, ':until': `${until}~` },
    Limit: limit,
  });
  for await (const items of pages) yield items.map((each) => dueTrigger.parse(each));
}

/** The trigger with this address, from an index that lags behind writes by moments. One call. */
export async function findByAddress(webhook_id: string): Promise<StoredTrigger | undefined> {
  const query = {
    IndexName: 'gsi2',
    KeyConditionExpression: 'gsi2pk = :pk',
    ExpressionAttributeValues: { ':pk': addressIndex(webhook_id) },
  };
  const [item] = await queryFirst(lowLatencyControlTable, query, 1);
  return item && storedTrigger.parse(item);
}

const dueTrigger = /* @__PURE__ */ z.lazy(() => built(storedTrigger).pick({ orgid: true, trigger_id: true }));

/** `busy`: another transaction was in the way. `receipts` are committed with the trigger. */
export async function insertTrigger(
  trigger: StoredTrigger,
  receipts: readonly TransactionAction[],
): Promise<'inserted' | 'taken' | 'busy'> {
  const put = { Put: { Item: triggerItem(trigger), ...mustNotExist } };
  const reasons = await transactWrite(controlTable, [put, ...receipts]);
  if (!reasons) return 'inserted';
  return isFailedConditionReason(reasons[0]) ? 'taken' : 'busy';
}

/** False when the trigger, or when it is due, is not what was read. */
export async function replaceTrigger(trigger: StoredTrigger, seen: StoredTrigger): Promise<boolean> {
  const Put = { Item: triggerItem(trigger), ...ifAsRead(seen) };
  return !(await transactWrite(controlTable, [{ Put }]));
}

/** False when the trigger is not the one that was read. `others` are committed with it. */
export async function deleteTrigger(
  seen: StoredTrigger,
  others: readonly TransactionAction[],
): Promise<boolean> {
  const Delete = { Key: triggerKey(seen), ...ifAsRead(seen) };
  return !(await transactWrite(controlTable, [{ Delete }, ...others]));
}

type Progress = Pick<StoredTrigger, 'next_due' | 'last_skipped'>;

/** Says when it is due next, if ever, and what was skipped. False when somebody else did, or changed the trigger. */
export async function advance(seen: StoredTrigger, { next_due, last_skipped }: Progress): Promise<boolean> {
  const set = {
    ...(next_due !== undefined && { next_due, ...dueAt(seen, next_due) }),
    ...(last_skipped && { last_skipped }),
  };
  const { ConditionExpression, ExpressionAttributeValues } = ifAsRead(seen);
  const assignments = Object.keys(set).map((name) => `${name} = :new_${name}`);
  const UpdateExpression = [
    ...(assignments.length > 0 ? [`SET ${assignments.join(', ')}`] : []),
    ...(next_due === undefined ? ['REMOVE next_due, gsi2pk, gsi2sk'] : []),
  ].join(' ');
  const Update = {
    Key: triggerKey(seen),
    ConditionExpression,
    UpdateExpression,
    ExpressionAttributeValues: {
      ...ExpressionAttributeValues,
      ...Object.fromEntries(Object.entries(set).map(([name, value]) => [`:new_${name}`, value])),
    },
  };
  return !(await transactWrite(controlTable, [{ Update }]));
}

/** The condition that neither the trigger nor when it is due has changed since it was read. */
function ifAsRead(seen: StoredTrigger) {
  const { ConditionExpression, ExpressionAttributeValues } = ifUnchanged(seen);
  const { next_due } = seen;
  const isAsDue = next_due === undefined ? 'attribute_not_exists(next_due)' : 'next_due = :due';
  return {
    ConditionExpression: `${ConditionExpression} AND ${isAsDue}`,
    ExpressionAttributeValues: {
      ...ExpressionAttributeValues,
      ...(next_due !== undefined && { ':due': next_due }),
    },
  };
}
