// The items of declared triggers in the control table. A schedule that is to run is also in the index of what is due, as part of the same
// item, so no change of a trigger leaves the two apart.
import { GetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { failedCondition } from '#lib/aws-errors.ts';
import { commit, documents, type TransactionAction } from '#lib/dynamo/client.ts';
import { requireEnv } from '#lib/env.ts';
import { type StoredTrigger, storedTrigger } from './stored-trigger.ts';

type Id = Pick<StoredTrigger, 'orgid' | 'trigger_id'>;

const TableName = () => requireEnv('CONTROL_TABLE');
const itemKey = ({ orgid, trigger_id }: Id) => ({ pk: `TRIGGER#${orgid}#${trigger_id}`, sk: 'META' });
export const workspaceIndex = (orgid: string, workspaceid: string) => `TRIGGERS#${orgid}#${workspaceid}`;
const positionOf = ({ created_at, trigger_id }: StoredTrigger) => `${created_at}#${trigger_id}`;
/** Of all organisations of the tenant, in the order in which they are due. */
const dueIndex = 'DUE';
const duePosition = ({ orgid, trigger_id }: Id, due: string) => `${due}#${orgid}#${trigger_id}`;

const item = (trigger: StoredTrigger) => ({
  ...itemKey(trigger),
  gsi1pk: workspaceIndex(trigger.orgid, trigger.workspaceid),
  gsi1sk: positionOf(trigger),
  ...(trigger.next_due !== undefined && {
    gsi2pk: dueIndex,
    gsi2sk: duePosition(trigger, trigger.next_due),
  }),
  ...trigger,
});

export async function readTrigger(id: Id): Promise<StoredTrigger | undefined> {
  const { Item } = await documents.send(
    new GetCommand({ TableName: TableName(), Key: itemKey(id), ConsistentRead: true }),
  );
  return Item && storedTrigger.parse(Item);
}

/** The triggers that are due at a time (RFC 3339), longest due first, so many at once, from an index that lags behind writes by moments. */
export async function* queryDue(until: string, limit: number): AsyncGenerator<Id[], void> {
  let start: Record<string, unknown> | undefined;
  do {
    const page = await documents.send(
      new QueryCommand({
        TableName: TableName(),
        IndexName: 'gsi2',
        KeyConditionExpression: 'gsi2pk = :pk AND gsi2sk <= :until',
        // Behind the time itself comes the separator.
        ExpressionAttributeValues: { ':pk': dueIndex, ':until': `${until}~` },
        Limit: limit,
        ExclusiveStartKey: start,
      }),
    );
    yield (page.Items ?? []).map((found) =>
      storedTrigger.pick({ orgid: true, trigger_id: true }).parse(found),
    );
    start = page.LastEvaluatedKey;
  } while (start);
}

/** `busy`: another transaction was in the way. `receipts` are committed with the trigger. */
export async function insertTrigger(
  trigger: StoredTrigger,
  receipts: readonly TransactionAction[],
): Promise<'inserted' | 'taken' | 'busy'> {
  const isFree = 'attribute_not_exists(pk)';
  const put = { Put: { TableName: TableName(), Item: item(trigger), ConditionExpression: isFree } };
  const reasons = await commit([put, ...receipts]);
  if (!reasons) return 'inserted';
  return failedCondition(reasons[0]) ? 'taken' : 'busy';
}

/** False when the trigger, or when it is due, is not what was read. */
export async function replaceTrigger(trigger: StoredTrigger, seen: StoredTrigger): Promise<boolean> {
  const put = { TableName: TableName(), Item: item(trigger), ...unchanged(seen) };
  return !(await commit([{ Put: put }]));
}

/** False when the trigger is not the one that was read. */
export async function deleteTrigger(seen: StoredTrigger): Promise<boolean> {
  return !(await commit([{ Delete: { TableName: TableName(), Key: itemKey(seen), ...unchanged(seen) } }]));
}

/** Says when it is due next, if ever. False when somebody else did, or changed the trigger. */
export async function advance(seen: StoredTrigger, next: string | undefined): Promise<boolean> {
  const { ConditionExpression, ExpressionAttributeValues } = unchanged(seen);
  const update =
    next === undefined
      ? { UpdateExpression: 'REMOVE next_due, gsi2pk, gsi2sk', ExpressionAttributeValues }
      : {
          UpdateExpression: 'SET next_due = :next, gsi2sk = :position',
          ExpressionAttributeValues: {
            ...ExpressionAttributeValues,
            ':next': next,
            ':position': duePosition(seen, next),
          },
        };
  return !(await commit([
    { Update: { TableName: TableName(), Key: itemKey(seen), ConditionExpression, ...update } },
  ]));
}

/** By its creation, too: one that was deleted and declared anew has the same version, and is another. */
function unchanged({ version, created_at, next_due }: StoredTrigger) {
  const isAsDue = next_due === undefined ? 'attribute_not_exists(next_due)' : 'next_due = :due';
  return {
    ConditionExpression: `version = :seen AND created_at = :created AND ${isAsDue}`,
    ExpressionAttributeValues: {
      ':seen': version,
      ':created': created_at,
      ...(next_due !== undefined && { ':due': next_due }),
    },
  };
}
