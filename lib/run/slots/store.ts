// The runs that callers of one organisation wait for, as one item: how many, and until when each of them may last. Every change is one
// conditional write, so that no two processes take the last slot.
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { requireEnv } from '#lib/env.ts';
import { hastyDocuments } from '#lib/store.ts';

const prefix = 'run_';
const daySeconds = 86_400;
/** Expressions have bounds; more than these are let go by the next who asks. */
const lettingGoMax = 50;

export interface Slot {
  readonly orgid: string;
  readonly runId: string;
  readonly untilMs: number;
}

const place = (orgid: string) => ({
  TableName: requireEnv('RUNS_TABLE'),
  Key: { pk: `LIMIT#RUNS#${orgid}`, sk: 'SLOTS' },
});
const attribute = (runId: string) => `${prefix}${runId}`;

/** True when there was one; else the runs whose time is over although nobody gave their slot back. */
export async function takeSlot(
  { orgid, runId, untilMs }: Slot,
  slotsMax: number,
  nowMs: number,
): Promise<true | string[]> {
  try {
    await hastyDocuments.send(
      new UpdateCommand({
        ...place(orgid),
        UpdateExpression: 'SET #run = :until, #ttl = :ttl ADD taken :one',
        // The second part: a write that is repeated because its answer got lost has its slot already.
        ConditionExpression: '(attribute_not_exists(taken) OR taken < :max) AND attribute_not_exists(#run)',
        ExpressionAttributeNames: { '#run': attribute(runId), '#ttl': 'ttl' },
        ExpressionAttributeValues: {
          ':until': untilMs,
          ':ttl': Math.ceil(untilMs / 1_000) + daySeconds,
          ':one': 1,
          ':max': slotsMax,
        },
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      }),
    );
    return true;
  } catch (error) {
    const leases = leasesOf(error);
    if (leases.has(attribute(runId))) return true;
    const over = [...leases].filter(([, until]) => until < nowMs).map(([name]) => name);
    return over.slice(0, lettingGoMax).map((name) => name.slice(prefix.length));
  }
}

/** False when somebody else was faster with one of them. */
export async function freeSlots(orgid: string, runIds: readonly string[]): Promise<boolean> {
  const names = runIds.map((_, n) => `#run${n}`);
  try {
    await hastyDocuments.send(
      new UpdateCommand({
        ...place(orgid),
        UpdateExpression: `REMOVE ${names.join(', ')} ADD taken :less`,
        ConditionExpression: names.map((name) => `attribute_exists(${name})`).join(' AND '),
        ExpressionAttributeNames: Object.fromEntries(
          names.map((name, n) => [name, attribute(runIds[n] ?? '')]),
        ),
        ExpressionAttributeValues: { ':less': -runIds.length },
      }),
    );
    return true;
  } catch (error) {
    if (isFailedCondition(error)) return false;
    throw error;
  }
}

const isFailedCondition = (error: unknown): error is Error =>
  error instanceof Error && error.name === 'ConditionalCheckFailedException';

/** The runs of the item that failed the condition, in DynamoDB's own form, and until when each may last. */
function leasesOf(error: unknown): Map<string, number> {
  if (!isFailedCondition(error)) throw error;
  const item: unknown = 'Item' in error ? error.Item : undefined;
  const attributes = Object.entries(typeof item === 'object' && item !== null ? item : {});
  return new Map(
    attributes
      .filter(([name]) => name.startsWith(prefix))
      .map(([name, value]) => [name, Number(Object(value).N)]),
  );
}
