// The items of events for which runs wait, in one partition for each name and key: the events that were sent, and
// the runs that wait. Whoever sends an event stores it and then looks for runs; a run stores its pause and then looks
// for events. As both write before they read, one of them sees the other. Why: docs/decisions/0059-run-events.md.
import { createHash } from 'node:crypto';
import * as z from 'zod';
import { type AttributeKey, decryptCallerData, encryptCallerData } from '#lib/caller-data.ts';
import { batchDelete } from '#lib/dynamo/batch.ts';
import { runsTable } from '#lib/dynamo/client.ts';
import { isFailedConditionReason, readString } from '#lib/dynamo/conditions.ts';
import { type Item, type Key, putItem, updateItemIf } from '#lib/dynamo/items.ts';
import { queryFirst, queryPages } from '#lib/dynamo/query.ts';
import { transactWrite } from '#lib/dynamo/transactions.ts';
import type { Environment } from '#lib/environment/environment.ts';
import { ServiceError } from '#lib/errors.ts';
import type { AwaitedEvent, ReceivedEvent } from '#lib/flow/engine/pause.ts';
import { type ReceivedEvents, wasReceived } from '#lib/flow/engine/received-events.ts';
import { limits } from '#lib/flow/format/limits.ts';
import { type Json, json } from '#lib/json/json.ts';
import type { StoredRun } from './stored-run.ts';

/** Whose runs may wait for it. */
export interface EventScope {
  readonly orgid: string;
  readonly workspaceid: string;
  readonly environment: Environment;
}

export interface EventTopic extends EventScope {
  readonly event: string;
  readonly key: string;
}

export interface SentEvent {
  readonly id: string;
  readonly data: Json;
  /** RFC 3339, UTC, with ms. */
  readonly at: string;
  /** Where the sender has named it: distinguishes events of one name. */
  readonly fingerprint?: string;
}

const hash = (value: unknown): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, 32);

const partition = ({ orgid, workspaceid, environment, event, key }: EventTopic): string =>
  `EVENT#${orgid}#${workspaceid}#${environment}#${hash([event, key])}`;

const sentPrefix = 'SENT#';
const sentKey = (topic: EventTopic, ref: string): Key => ({ pk: partition(topic), sk: sentPrefix + ref });
const contentKey = ({ orgid, workspaceid }: EventScope, key: Key): AttributeKey => ({
  orgid,
  workspaceid,
  ...key,
  attribute: 'content',
});

/** Names are remembered so long, and events are kept for runs that are busy when they are sent. */
const eventNameSeconds = 86_400;

/** Returns the fingerprint of the event that was sent under this name before, if there is one: nothing is stored then. */
export async function storeSentEvent(
  topic: EventTopic,
  { id, data, at, fingerprint }: SentEvent,
): Promise<string | undefined> {
  const sentSeconds = Math.floor(Date.parse(at) / 1000);
  const ttl = sentSeconds + eventNameSeconds;
  const key = sentKey(topic, `${at}#${hash(id)}`);
  const content = await encryptCallerData(contentKey(topic, key), JSON.stringify({ id, data }));
  const Item = { ...key, content, ttl };
  if (fingerprint === undefined) return void (await putItem(runsTable, Item));
  const named = {
    Item: { pk: key.pk, sk: `NAME#${hash(id)}`, fingerprint, ttl },
    // DynamoDB removes expired items some time later.
    ConditionExpression: 'attribute_not_exists(pk) OR #ttl <= :now',
    ExpressionAttributeNames: { '#ttl': 'ttl' },
    ExpressionAttributeValues: { ':now': sentSeconds },
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
  };
  const reasons = await transactWrite(runsTable, [{ Put: named }, { Put: { Item } }]);
  if (!reasons) return undefined;
  if (isFailedConditionReason(reasons[0])) return readString(reasons[0]?.item, 'fingerprint') ?? '';
  throw new ServiceError('dependency_unavailable', { cause: 'The same event is being sent.' });
}

const content = z.object({ id: z.string(), data: json });
const sentItem = /* @__PURE__ */ z.lazy(() =>
  z.object({ pk: z.string(), sk: z.string(), content: z.instanceof(Uint8Array) }),
);

/** What is known of the run that waits. */
type WaitingRun = Pick<StoredRun, 'run_id' | 'orgid' | 'workspaceid' | 'environment'>;

/** Of an item: the run that has received the event first. */
const takenBy = 'taken_by';

/** An event that came before the wait began is for the run that receives it first. */
const isForOthers = (item: Item, { run_id }: WaitingRun, { since }: AwaitedEvent): boolean =>
  item[takenBy] !== undefined && item[takenBy] !== run_id && refOf(item) < since;

/**
 * The first event that was sent for the wait, without its content, which from then on no run receives that begins to
 * wait later.
 */
export async function takeSentItem(
  run: WaitingRun,
  awaited: AwaitedEvent,
  received: ReceivedEvents | undefined,
): Promise<Item | undefined> {
  for (;;) {
    const item = await findSentItem(run, awaited, received);
    if (!item || item[takenBy] !== undefined) return item;
    const { pk, sk } = sentItem.parse(item);
    const isTaken = await updateItemIf(
      runsTable,
      { pk, sk },
      {
        UpdateExpression: 'SET #by = :run',
        ConditionExpression: 'attribute_exists(pk) AND attribute_not_exists(#by)',
        ExpressionAttributeNames: { '#by': takenBy },
        ExpressionAttributeValues: { ':run': run.run_id },
      },
    );
    if (isTaken) return item;
  }
}

/** The first event that was sent for the wait and is not for others, without its content. */
export async function findSentItem(
  run: WaitingRun,
  awaited: AwaitedEvent,
  received: ReceivedEvents | undefined,
): Promise<Item | undefined> {
  const since = new Date(Date.parse(awaited.since) - limits.eventKeepSeconds * 1000).toISOString();
  const pages = queryPages(runsTable, {
    KeyConditionExpression: 'pk = :pk AND sk BETWEEN :from AND :to',
    ExpressionAttributeValues: {
      ':pk': partition({ ...run, ...awaited }),
      ':from': sentPrefix + since,
      // The time itself is followed by the separator.
      ':to': `${sentPrefix}${awaited.expires_at}~`,
    },
    ConsistentRead: true,
    Limit: pageSize,
  });
  for await (const items of pages)
    for (const item of items)
      if (!wasReceived(awaited, received, refOf(item)) && !isForOthers(item, run, awaited)) return item;
  return undefined;
}

/** Most waits find none, and few have received more than one. */
const pageSize = 5;
const refOf = ({ sk }: Item): string => String(sk).slice(sentPrefix.length);

export async function openSentItem(
  run: WaitingRun,
  { id: executionKey, event, key }: AwaitedEvent,
  item: Item,
): Promise<ReceivedEvent> {
  const { content: sealed, ...itemKey } = sentItem.parse(item);
  const plain = await decryptCallerData(contentKey(run, itemKey), sealed);
  const { id, data } = content.parse(JSON.parse(plain));
  const ref = refOf(item);
  const [received_at = ''] = ref.split('#');
  return { id: executionKey, ref, value: { event, key, id, data, received_at } };
}

/**
 * The items by which a paused run is found, one for each event that it awaits. A runner pauses once, so its lease
 * distinguishes the pauses of a run: deleting the item of one deletes that of no later one.
 */
export function toAwaitingItems(
  run: StoredRun,
  lease: string,
  awaited: readonly AwaitedEvent[],
): readonly Item[] {
  const partitions = new Set(awaited.map((each) => partition({ ...run, ...each })));
  const { run_id } = run;
  return [...partitions].map((pk) => ({ pk, sk: `${waitPrefix}${run_id}#${lease}`, run_id }));
}

const waitPrefix = 'WAIT#';
const awaitingItem = /* @__PURE__ */ z.lazy(() =>
  z.object({ pk: z.string(), sk: z.string(), run_id: z.string() }),
);
export type AwaitingItem = z.infer<typeof awaitingItem>;

/** Items after a sort key, fewer than `limit` only where there are no more. */
export async function queryAwaiting(
  topic: EventTopic,
  after: string,
  limit: number,
): Promise<readonly AwaitingItem[]> {
  const items = await queryFirst(
    runsTable,
    {
      KeyConditionExpression: 'pk = :pk AND sk BETWEEN :after AND :end',
      ExpressionAttributeValues: {
        ':pk': partition(topic),
        ':after': after === '' ? waitPrefix : `${after} `,
        ':end': `${waitPrefix}~`,
      },
      ConsistentRead: true,
    },
    limit,
  );
  return z.array(awaitingItem).parse(items);
}

export const deleteAwaiting = async (items: readonly AwaitingItem[]): Promise<void> =>
  await batchDelete(
    runsTable,
    items.map(({ pk, sk }) => ({ pk, sk })),
  );
