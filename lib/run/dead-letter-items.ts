// The items of dead letters in the runs table: a partition of letters for each workspace, one for each
// organisation that maps the id of a letter to its workspace, and one that lists the workspaces with dead
// letters.
import * as z from 'zod';
import { batchGetMax, batchGetSome } from '#lib/dynamo/batch.ts';
import { runsTable } from '#lib/dynamo/client.ts';
import { succeedsUnlessConditionFails } from '#lib/dynamo/conditions.ts';
import { getItem, type Item, type Key, updateItem, updateItemIf } from '#lib/dynamo/items.ts';
import { queryAll, queryFirst } from '#lib/dynamo/query.ts';
import type { WorkspaceScope } from '#lib/ids.ts';
import { built } from '#lib/json/built-schema.ts';
import {
  letterKey,
  letterPartition,
  type StoredDeadLetter,
  storedDeadLetter,
  workspacesKey,
} from './dead-letter.ts';
import { isFinal, retentionMs, storedRun } from './stored-run.ts';

const locationKey = (orgid: string, id: string) => ({ pk: `${workspacesKey}${orgid}`, sk: id });

interface NewLetter extends WorkspaceScope {
  readonly id: string;
  readonly flowid?: string | undefined;
  readonly workflow_id: string | undefined;
  readonly reason: string;
  /**
   * Whether the message carries an event; of several under one id, the first is kept. Other messages only
   * name the run to continue.
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
 * Writes the items that lead to the letter first, because a letter without them cannot be found. False when
 * this message is already stored. The letter expires with its run: after that, a redrive would run the event
 * a second time.
 */
export async function fileLetter({ id, messageId, at, hasEvent, ...letter }: NewLetter): Promise<boolean> {
  const ttl = Math.floor((Date.parse(at) + retentionMs()) / 1_000);
  await set({ pk: workspacesKey, sk: letterPartition(letter).slice(workspacesKey.length) }, { ttl });
  await set(locationKey(letter.orgid, id), { workspaceid: letter.workspaceid, ttl });
  const values = { id, ...letter, last_seen_at: at, message_id: messageId, ttl };
  const failure = { kept: hasEvent ? ['body', 'preview'] : ['preview'] };
  return await succeedsUnlessConditionFails(set(letterKey(letter, id), values, failure));
}

/**
 * With `failure`: `first_seen_at` and the `kept` members are not overwritten, the attempts are counted, and
 * the marks of an earlier redrive or dismissal are removed.
 */
async function set(
  key: Key,
  values: Readonly<Record<string, unknown>>,
  failure?: { readonly kept: readonly string[] },
): Promise<void> {
  const given = Object.entries(values).filter(([, value]) => value !== undefined);
  const sets = given.map(([name]) =>
    failure?.kept.includes(name) ? `#${name} = if_not_exists(#${name}, :${name})` : `#${name} = :${name}`,
  );
  await updateItem(runsTable, key, {
    UpdateExpression: failure
      ? `SET ${sets.join(', ')}, first_seen_at = if_not_exists(first_seen_at, :last_seen_at) REMOVE redriven_at, dismissed_at ADD attempts :one`
      : `SET ${sets.join(', ')}`,
    ...(failure && { ConditionExpression: 'attribute_not_exists(message_id) OR message_id <> :message_id' }),
    ExpressionAttributeNames: Object.fromEntries(given.map(([name]) => [`#${name}`, name])),
    ExpressionAttributeValues: {
      ...Object.fromEntries(given.map(([name, value]) => [`:${name}`, value])),
      ...(failure && { ':one': 1 }),
    },
  });
}

/** DynamoDB removes expired items within days, not at once. */
const isKept = ({ ttl }: Record<string, unknown>): boolean => Number(ttl) * 1_000 >= Date.now();

export async function readLetter(scope: WorkspaceScope, id: string): Promise<StoredDeadLetter | undefined> {
  const item = await readItem(letterKey(scope, id));
  return item && storedDeadLetter.parse(item);
}

/** For URLs that name no workspace. One read if there is no such letter. */
export async function findLetter(orgid: string, id: string): Promise<StoredDeadLetter | undefined> {
  const found = await readItem(locationKey(orgid, id));
  return found && (await readLetter({ orgid, ...letterLocation.parse(found) }, id));
}

const letterLocation = z.object({ workspaceid: z.string() });

async function readItem(key: Key): Promise<Item | undefined> {
  const item = await getItem(runsTable, key);
  return item && isKept(item) ? item : undefined;
}

/** Letters that are not dismissed, by id, after `after`. */
export async function queryLetters(
  scope: WorkspaceScope,
  limit: number,
  after?: string,
): Promise<StoredDeadLetter[]> {
  const pk = letterPartition(scope);
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

/** The workspaces that have or had dead letters. */
export async function queryLetterWorkspaces(): Promise<WorkspaceScope[]> {
  const items = await queryAll(runsTable, {
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': workspacesKey },
  });
  return items.map(({ sk }) => workspaceScope.parse(sk));
}

/** Ids have no `#`. */
const workspaceScope = z.string().transform((text): WorkspaceScope => {
  const [orgid = '', workspaceid = ''] = text.split('#');
  return { orgid, workspaceid };
});

/** Has no effect if the message became a dead letter again since the letter was read. */
export async function markRedriven(
  { id, last_seen_at, ...scope }: StoredDeadLetter,
  at: string,
): Promise<void> {
  await updateItemIf(runsTable, letterKey(scope, id), {
    UpdateExpression: 'SET redriven_at = :at',
    ConditionExpression: 'last_seen_at = :seen',
    ExpressionAttributeValues: { ':at': at, ':seen': last_seen_at },
  });
}

/**
 * False when there is no such letter, or it is already dismissed. The content is removed at once, the rest
 * when the letter expires.
 */
export async function markDismissed(scope: WorkspaceScope, id: string, at: string): Promise<boolean> {
  return await updateItemIf(runsTable, letterKey(scope, id), {
    UpdateExpression: 'SET dismissed_at = :at REMOVE body, preview',
    ConditionExpression: 'attribute_exists(pk) AND attribute_not_exists(dismissed_at) AND #ttl >= :now',
    ExpressionAttributeNames: { '#ttl': 'ttl' },
    ExpressionAttributeValues: { ':at': at, ':now': Math.floor(Date.parse(at) / 1_000) },
  });
}

/** The maximum number of ids for one call of `findEndedRuns`. */
export const batchMax = batchGetMax;

/**
 * Which of at most 100 runs have ended. Runs that DynamoDB leaves unread (`UnprocessedKeys`) after several
 * tries count as not ended.
 */
export async function findEndedRuns(ids: readonly string[]): Promise<ReadonlySet<string>> {
  const keys = ids.map((id) => ({ pk: `RUN#${id}`, sk: 'HEAD' }));
  const { items } = await batchGetSome(runsTable, keys, {
    ProjectionExpression: 'pk, #status',
    ExpressionAttributeNames: { '#status': 'status' },
  });
  const ended = items.map((item) => head.parse(item)).filter(({ status }) => isFinal(status));
  return new Set(ended.map(({ pk }) => pk.slice('RUN#'.length)));
}

const head = /* @__PURE__ */ z.lazy(() => built(storedRun).pick({ status: true }).extend({ pk: z.string() }));
