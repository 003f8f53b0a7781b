// The items of API keys in the control table. A revoked key keeps its item until the key expires, so that it
// stays revoked.
import { keyItemKey } from '#lib/access/key-status-items.ts';
import { lowLatencyControlTable } from '#lib/dynamo/client.ts';
import { mustExist } from '#lib/dynamo/conditions.ts';
import { getItem, putItem, updateItem } from '#lib/dynamo/items.ts';
import { queryFirst } from '#lib/dynamo/query.ts';
import { type ApiKey, apiKey } from './api-key.ts';

const index = (orgid: string) => `KEYS#${orgid}`;
const position = (key: Pick<ApiKey, 'created_at' | 'keyid'>) => `${key.created_at}#${key.keyid}`;

/** Items are kept one day longer than their keys, because clocks may differ. */
const expirySeconds = (expiresAt: string): number => Math.ceil(Date.parse(expiresAt) / 1_000) + 86_400;

/** Drops other attributes, such as the keys of the table. */
export const storedKey = apiKey.strip();

/**
 * Without a condition: the id is new, and a write that is repeated after a lost response must not fail.
 */
export async function insertKey(key: ApiKey): Promise<void> {
  await putItem(lowLatencyControlTable, toKeyItem(key));
}

export const toKeyItem = (key: ApiKey) => ({
  ...keyItemKey(key.keyid),
  gsi1pk: index(key.orgid),
  gsi1sk: position(key),
  ttl: expirySeconds(key.expires_at),
  ...key,
});

/** The key, or undefined for one that is missing or was issued offline. */
export async function readKey(id: string): Promise<ApiKey | undefined> {
  return storedKey.safeParse(await getItem(lowLatencyControlTable, keyItemKey(id))).data;
}

/** Newest first; fewer than `limit` only where there are no more. */
export async function queryKeys(
  orgid: string,
  limit: number,
  after?: Pick<ApiKey, 'created_at' | 'keyid'>,
): Promise<ApiKey[]> {
  const items = await queryFirst(
    lowLatencyControlTable,
    {
      IndexName: 'gsi1',
      KeyConditionExpression: 'gsi1pk = :pk',
      ExpressionAttributeValues: { ':pk': index(orgid) },
      ScanIndexForward: false,
      ...(after && {
        ExclusiveStartKey: { ...keyItemKey(after.keyid), gsi1pk: index(orgid), gsi1sk: position(after) },
      }),
    },
    limit,
  );
  return items.map((item) => storedKey.parse(item));
}

/** Keeps the time of the first revocation. */
export async function markRevoked(id: string, at: string): Promise<void> {
  await updateItem(lowLatencyControlTable, keyItemKey(id), {
    UpdateExpression: 'SET revoked_at = if_not_exists(revoked_at, :at)',
    ...mustExist,
    ExpressionAttributeValues: { ':at': at },
  });
}

/** A key that was issued offline has no item; it gets one that only marks it as revoked. */
export async function markOfflineKeyRevoked(id: string, at: string, expiresAt: string): Promise<void> {
  await updateItem(lowLatencyControlTable, keyItemKey(id), {
    UpdateExpression: 'SET revoked_at = if_not_exists(revoked_at, :at), #ttl = if_not_exists(#ttl, :ttl)',
    ExpressionAttributeNames: { '#ttl': 'ttl' },
    ExpressionAttributeValues: { ':at': at, ':ttl': expirySeconds(expiresAt) },
  });
}
