// The items of dead letters in the runs table: a partition for each workspace, one for each organisation that
// says in which workspace a letter is, and one that names the workspaces which have some.
import * as z from 'zod';
import { batchGetMax, batchGetSome } from '#lib/dynamo/batch.ts';
import { runsTable } from '#lib/dynamo/client.ts';
import { succeedsUnlessConditionFails } from '#lib/dynamo/conditions.ts';
import { getItem, type Item, type Key, updateItem, updateItemIf } from '#lib/dynamo/items.ts';
import { queryAll, queryFirst } from '#lib/dynamo/query.ts';
import { type StoredDeadLetter, storedDeadLetter } from './dead-letter.ts';
import { type LetterPlace, letterKey, letterPartition, placesKey } from './dead-letter-keys.ts';
import { retentionMs } from './retention.ts';
import { isFinal, storedRun } from './stored-run.ts';

const whereaboutsKey = (orgid: string, id: string) => ({ pk: `${placesKey}${orgid}`, sk: id });

interface Filing extends LetterPlace {
  readonly id: string;
  readonly flowid?: string | undefined;
  readonly workflow_id: string | undefined;
  readonly reason: string;
  /**
   * Whether the message brings an event: of those under one id the first is kept. Others only say which run
   * continues.
   */
  readonly hasEvent: boolean;
  /** Encrypted, as is the body. */
  readonly preview: Uint8Array;
  readonly body: Uint8Array;
  /** The id of the SQS message: a second delivery of the same one does not count again. */
  readonly messageId: string;
  readonly at: string;
}

/**
 * What leads to it first: a letter that nobody is led to would be lost. False when this message is filed
 * already. Kept as long as its run is, and no longer: once the run is forgotten, a redrive would run the
 * event a second time.
 */
export async function fileLetter({ id, messageId, at, hasEvent, ...letter }: Filing): Promise<boolean> {
  const ttl = Math.floor((Date.parse(at) + retentionMs()) / 1_000);
  await set({ pk: placesKey, sk: letterPartition(letter).slice(placesKey.length) }, { ttl });
  await set(whereaboutsKey(letter.orgid, id), { workspaceid: letter.workspaceid, ttl });
  const values = { id, ...letter, last_seen_at: at, message_id: messageId, ttl };
  const death = { kept: hasEvent ? ['body', 'preview'] : ['preview'] };
  return await succeedsUnlessConditionFails(set(letterKey(letter, id), values, death));
}

/**
 * With `death`: the first time that it became a dead letter stays, and so do the `kept` members; the times
 * are counted, and a redrive or a dismissal before is no longer the last word.
 */
async function set(
  key: Key,
  values: Readonly<Record<string, unknown>>,
  death?: { readonly kept: readonly string[] },
): Promise<void> {
  const given = Object.entries(values).filter(([, value]) => value !== undefined);
  const sets = given.map(([name]) =>
    death?.kept.includes(name) ? `#${name} = if_not_exists(#${name}, :${name})` : `#${name} = :${name}`,
  );
  await updateItem(runsTable, key, {
    UpdateExpression: death
      ? `SET ${sets.join(', ')}, first_seen_at = if_not_exists(first_seen_at, :last_seen_at) REMOVE redriven_at, dismissed_at ADD attempts :one`
      : `SET ${sets.join(', ')}`,
    ...(death && { ConditionExpression: 'attribute_not_exists(message_id) OR message_id <> :message_id' }),
    ExpressionAttributeNames: Object.fromEntries(given.map(([name]) => [`#${name}`, name])),
    ExpressionAttributeValues: {
      ...Object.fromEntries(given.map(([name, value]) => [`:${name}`, value])),
      ...(death && { ':one': 1 }),
    },
  });
}

/** DynamoDB takes days to remove what has expired. */
const isKept = ({ ttl }: Record<string, unknown>): boolean => Number(ttl) * 1_000 >= Date.now();

export async function readLetter(place: LetterPlace, id: string): Promise<StoredDeadLetter | undefined> {
  const item = await readItem(letterKey(place, id));
  return item && storedDeadLetter.parse(item);
}

/** For addresses that name no workspace. One read where there is none. */
export async function findLetter(orgid: string, id: string): Promise<StoredDeadLetter | undefined> {
  const found = await readItem(whereaboutsKey(orgid, id));
  return found && (await readLetter({ orgid, ...whereabouts.parse(found) }, id));
}

const whereabouts = z.object({ workspaceid: z.string() });

async function readItem(key: Key): Promise<Item | undefined> {
  const item = await getItem(runsTable, key);
  return item && isKept(item) ? item : undefined;
}

/** Those that are not dismissed, in the order of their ids, after one. */
export async function queryLetters(
  place: LetterPlace,
  limit: number,
  after?: string,
): Promise<StoredDeadLetter[]> {
  const pk = letterPartition(place);
  const items = await queryFirst(
    runsTable,
    {
      KeyConditionExpression: 'pk = :pk',
      FilterExpression: '#ttl >= :now AND attribute_not_exists(dismissed_at)',
      ExpressionAttributeNames: { '#ttl': 'ttl' },
      ExpressionAttributeValues: { ':pk': pk, ':now': Math.floor(Date.now() / 1_000) },
      ...(after !== undefined && { ExclusiveStartKey: { pk, sk: after } }),
    },
    limit,
  );
  return items.map((item) => storedDeadLetter.parse(item));
}

/** The workspaces that have dead letters, or had some. */
export async function queryPlaces(): Promise<LetterPlace[]> {
  const items = await queryAll(runsTable, {
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': placesKey },
  });
  return items.map(({ sk }) => storedPlace.parse(sk));
}

/** Ids have no `#`. */
const storedPlace = z.string().transform((text): LetterPlace => {
  const [orgid = '', workspaceid = ''] = text.split('#');
  return { orgid, workspaceid };
});

/** Nothing happens when it became a dead letter again since it was read. */
export async function markRedriven(
  { id, last_seen_at, ...place }: StoredDeadLetter,
  at: string,
): Promise<void> {
  await updateItemIf(runsTable, letterKey(place, id), {
    UpdateExpression: 'SET redriven_at = :at',
    ConditionExpression: 'last_seen_at = :seen',
    ExpressionAttributeValues: { ':at': at, ':seen': last_seen_at },
  });
}

/**
 * False when there is none, or none any more. What the event said goes at once, what became of it stays as
 * long as it would have.
 */
export async function markDismissed(place: LetterPlace, id: string, at: string): Promise<boolean> {
  return await updateItemIf(runsTable, letterKey(place, id), {
    UpdateExpression: 'SET dismissed_at = :at REMOVE body, preview',
    ConditionExpression: 'attribute_exists(pk) AND attribute_not_exists(dismissed_at) AND #ttl >= :now',
    ExpressionAttributeNames: { '#ttl': 'ttl' },
    ExpressionAttributeValues: { ':at': at, ':now': Math.floor(Date.parse(at) / 1_000) },
  });
}

/** Ids of one call of `runsOver`. */
export const batchMax = batchGetMax;

/**
 * Which of these runs are over; at most 100. Those that DynamoDB leaves unread, even when asked again, count
 * as not over.
 */
export async function runsOver(ids: readonly string[]): Promise<ReadonlySet<string>> {
  const keys = ids.map((id) => ({ pk: `RUN#${id}`, sk: 'HEAD' }));
  const { items } = await batchGetSome(runsTable, keys, {
    ProjectionExpression: 'run_id, #status',
    ExpressionAttributeNames: { '#status': 'status' },
  });
  const over = items.map((item) => head.parse(item)).filter(({ status }) => isFinal(status));
  return new Set(over.map(({ run_id }) => run_id));
}

const head = storedRun.pick({ run_id: true, status: true });
