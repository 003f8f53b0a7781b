// The items of values that outlive a run: their keys, a page of them without what they hold, and their removal.
import * as z from 'zod';
import { runsTable } from '#lib/dynamo/client.ts';
import { mustExist } from '#lib/dynamo/conditions.ts';
import { deleteItemIf, type Key } from '#lib/dynamo/items.ts';
import { queryFirst } from '#lib/dynamo/query.ts';
import type { StoreKey } from '#lib/flow/ports/store.ts';
import type { StoredRun } from './stored-run.ts';

/** Whose values: those of a flow in an environment. All of them are in one partition. */
export type ValueOwner = Pick<StoredRun, 'orgid' | 'workspaceid' | 'flowid' | 'environment'>;

type Space = StoreKey['space'];
const prefixes: Readonly<Record<Space, string>> = {
  value: 'VALUE#',
  conversation: 'TALK#',
  context: 'CONTEXT#',
};
const spaces: readonly Space[] = ['value', 'conversation', 'context'];

const partition = ({ orgid, workspaceid, flowid, environment }: ValueOwner): string =>
  `MEMORY#${orgid}#${workspaceid}#${flowid}#${environment}`;

const sortKey = ({ space, key }: StoreKey): string => `${prefixes[space]}${key}`;

export const valueKey = (owner: ValueOwner, key: StoreKey): Key => ({
  pk: partition(owner),
  sk: sortKey(key),
});

const listedItem = z.object({
  sk: z.string(),
  content: z.instanceof(Uint8Array),
  updated_at: z.string(),
  ttl: z.number(),
  /** Of a conversation in an A2A context. */
  context_id: z.string().optional(),
  /** Its caller, if of the same organisation. */
  created_by: z.string().optional(),
});

export type ListedValue = StoreKey &
  Omit<z.infer<typeof listedItem>, 'sk' | 'content'> & { readonly bytes: number };

interface ValueQuery {
  readonly space: Space | undefined;
  readonly limit: number;
  readonly after: StoreKey | undefined;
}

interface ValuePage {
  readonly items: readonly ListedValue[];
  /** The last value that was read, where more may follow. */
  readonly last: StoreKey | undefined;
}

/** One call for each megabyte of content. A page can be short, because values on it have expired. */
export async function queryValues(
  owner: ValueOwner,
  { space, limit, after }: ValueQuery,
  now: number,
): Promise<ValuePage> {
  const query = {
    KeyConditionExpression: space ? 'pk = :pk AND begins_with(sk, :prefix)' : 'pk = :pk',
    ExpressionAttributeValues: { ':pk': partition(owner), ...(space && { ':prefix': prefixes[space] }) },
    ...(after && { ExclusiveStartKey: valueKey(owner, after) }),
  };
  const items = await queryFirst(runsTable, query, limit + 1);
  const listed = items.map(toListed);
  const page = listed.slice(0, limit);
  return {
    items: page.filter(({ ttl }) => ttl * 1000 > now),
    last: listed.length > limit ? page.at(-1) : undefined,
  };
}

function toListed(item: unknown): ListedValue {
  const { sk, content, ...rest } = listedItem.parse(item);
  const space = spaces.find((each) => sk.startsWith(prefixes[each]));
  if (!space) throw new Error('The item of a stored value has an unknown sort key.');
  return { ...rest, space, key: sk.slice(prefixes[space].length), bytes: content.length };
}

/** False when there is none. A run that has read the value before cannot write it again: its condition fails. */
export const removeValue = async (owner: ValueOwner, key: StoreKey): Promise<boolean> =>
  await deleteItemIf(runsTable, valueKey(owner, key), mustExist);
