// The runs table. Every change of a run is one transaction: the header moves to the next generation if nobody else moved it, if the
// run is not over and if the writer holds the lease; and the event of that generation is put. A failed condition is also how a runner
// learns that its run was canceled or taken over.
import { setTimeout } from 'node:timers/promises';
import {
  GetCommand,
  PutCommand,
  QueryCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { cancellationReasons } from '#lib/dynamo.ts';
import { requireEnv } from '#lib/env.ts';
import { ServiceError } from '#lib/errors.ts';
import { documents } from '#lib/store.ts';
import { type StoredEvent, type StoredRun, storedEvent, storedRun } from './stored.ts';

const TableName = () => requireEnv('RUNS_TABLE');
const headKey = (id: string) => ({ pk: `RUN#${id}`, sk: 'HEAD' });
const eventKey = (id: string, generation: number) => ({
  pk: `RUN#${id}`,
  sk: `E#${String(generation).padStart(10, '0')}`,
});
const snapshotKey = (id: string) => ({ pk: `RUN#${id}`, sk: 'SNAP' });

/** False when the run exists already. */
export async function insertRun(run: StoredRun): Promise<boolean> {
  const Item = { ...headKey(run.run_id), ...run };
  return await unlessConditionFails(
    documents.send(
      new PutCommand({ TableName: TableName(), Item, ConditionExpression: 'attribute_not_exists(pk)' }),
    ),
  );
}

export async function readRun(id: string): Promise<StoredRun | undefined> {
  const { Item } = await documents.send(
    new GetCommand({ TableName: TableName(), Key: headKey(id), ConsistentRead: true }),
  );
  return Item && storedRun.parse(Item);
}

/** Takes the lease of a run that is not over and that nobody holds any more. False when somebody does. */
export async function claimRun(
  run: StoredRun,
  lease: string,
  now: number,
  leaseUntil: number,
): Promise<boolean> {
  return await unlessConditionFails(
    documents.send(
      new UpdateCommand({
        TableName: TableName(),
        Key: headKey(run.run_id),
        UpdateExpression: 'SET lease = :lease, lease_until = :until',
        ConditionExpression:
          'generation = :seen AND lease_until < :now AND #status IN (:submitted, :working)',
        ExpressionAttributeNames: { '#status': 'status' },
        ExpressionAttributeValues: {
          ':lease': lease,
          ':until': leaseUntil,
          ':seen': run.generation,
          ':now': now,
          ':submitted': 'submitted',
          ':working': 'working',
        },
      }),
    ),
  );
}

/** Lets the next runner in at once. Nothing happens when the lease is no longer ours. */
export async function releaseRun(id: string, lease: string): Promise<void> {
  await unlessConditionFails(
    documents.send(
      new UpdateCommand({
        TableName: TableName(),
        Key: headKey(id),
        UpdateExpression: 'SET lease_until = :never',
        ConditionExpression: 'lease = :lease',
        ExpressionAttributeValues: { ':never': 0, ':lease': lease },
      }),
    ),
  );
}

export interface Append {
  readonly run: Pick<StoredRun, 'run_id' | 'ttl'>;
  /** Of the event; the header must be one below. */
  readonly event: StoredEvent;
  /** Absent for a cancel, which needs no lease. */
  readonly lease?: { readonly holder: string; readonly until: number };
  readonly snapshot?: Uint8Array | undefined;
}

/** False when the run was canceled, taken over or changed in between. */
export async function appendEvent(append: Append): Promise<boolean> {
  for (let tries = 1; ; tries += 1) {
    const outcome = await tryAppend(append);
    if (outcome !== 'conflict') return outcome === 'stored';
    if (tries === conflictTriesMax)
      throw new ServiceError('dependency_unavailable', { cause: 'TransactionConflict' });
    await setTimeout(Math.random() * 50 * tries);
  }
}

/** Transactions on one item at the same time cancel each other, which the SDK does not try again: a cancel meets the runner's write. */
const conflictTriesMax = 6;

async function tryAppend({
  run,
  event,
  lease,
  snapshot,
}: Append): Promise<'stored' | 'refused' | 'conflict'> {
  const owned = lease ? ' AND lease = :holder' : '';
  try {
    await documents.send(
      new TransactWriteCommand({
        TransactItems: [
          {
            Update: {
              TableName: TableName(),
              Key: headKey(run.run_id),
              UpdateExpression: `SET generation = :next, #status = :status, updated_at = :at${lease ? ', lease_until = :until' : ''}`,
              ConditionExpression: `generation = :seen AND #status IN (:submitted, :working)${owned}`,
              ExpressionAttributeNames: { '#status': 'status' },
              ExpressionAttributeValues: {
                ':next': event.generation,
                ':seen': event.generation - 1,
                ':status': event.status,
                ':at': event.at,
                ':submitted': 'submitted',
                ':working': 'working',
                ...(lease && { ':holder': lease.holder, ':until': lease.until }),
              },
            },
          },
          {
            Put: {
              TableName: TableName(),
              Item: { ...eventKey(run.run_id, event.generation), ...event, ttl: run.ttl },
            },
          },
          ...(snapshot
            ? [
                {
                  Put: {
                    TableName: TableName(),
                    Item: { ...snapshotKey(run.run_id), bytes: snapshot, ttl: run.ttl },
                  },
                },
              ]
            : []),
        ],
      }),
    );
    return 'stored';
  } catch (error) {
    const codes = cancellationReasons(error)?.map(({ code }) => code);
    if (codes?.includes('ConditionalCheckFailed')) return 'refused';
    if (codes?.includes('TransactionConflict')) return 'conflict';
    throw error;
  }
}

/** In order, after a generation. */
export async function readEvents(id: string, after = 0): Promise<StoredEvent[]> {
  const events: StoredEvent[] = [];
  let start: Record<string, unknown> | undefined;
  do {
    const page = await documents.send(
      new QueryCommand({
        TableName: TableName(),
        KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :last',
        ExpressionAttributeValues: {
          ':pk': headKey(id).pk,
          ':first': eventKey(id, after + 1).sk,
          ':last': eventKey(id, 9_999_999_999).sk,
        },
        ConsistentRead: true,
        ExclusiveStartKey: start,
      }),
    );
    events.push(...(page.Items ?? []).map((item) => storedEvent.parse(item)));
    start = page.LastEvaluatedKey;
  } while (start);
  return events;
}

export async function readSnapshot(id: string): Promise<Uint8Array | undefined> {
  const { Item } = await documents.send(
    new GetCommand({ TableName: TableName(), Key: snapshotKey(id), ConsistentRead: true }),
  );
  return Item?.bytes instanceof Uint8Array ? Item.bytes : undefined;
}

async function unlessConditionFails(call: Promise<unknown>): Promise<boolean> {
  try {
    await call;
    return true;
  } catch (error) {
    if (error instanceof Error && error.name === 'ConditionalCheckFailedException') return false;
    throw error;
  }
}
