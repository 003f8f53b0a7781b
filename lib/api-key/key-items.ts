// The items of API keys in the control table. A revoked key keeps its item until the key expires, so that nothing un-revokes it.
import { GetCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { itemKey } from '#lib/access/key-status-items.ts';
import { hastyDocuments, queryFirst } from '#lib/dynamo/client.ts';
import { requireEnv } from '#lib/env.ts';
import { type ApiKey, apiKey } from './api-key.ts';

const TableName = () => requireEnv('CONTROL_TABLE');
const index = (orgid: string) => `KEYS#${orgid}`;
const position = (key: Pick<ApiKey, 'created_at' | 'keyid'>) => `${key.created_at}#${key.keyid}`;

/** Items outlive their keys by a day, for clocks that differ. */
const ttlOf = (expiresAt: string): number => Math.ceil(Date.parse(expiresAt) / 1_000) + 86_400;

/** Other attributes, such as the keys of the table, fall away. */
const storedKey = apiKey.strip();

/** Without a condition: the id is new, and a write that is repeated because its answer got lost must not fail. */
export async function insertKey(key: ApiKey): Promise<void> {
  const Item = {
    ...itemKey(key.keyid),
    gsi1pk: index(key.orgid),
    gsi1sk: position(key),
    ttl: ttlOf(key.expires_at),
    ...key,
  };
  await hastyDocuments.send(new PutCommand({ TableName: TableName(), Item }));
}

/** The key, or undefined for one that is missing or was issued offline. */
export async function readKey(id: string): Promise<ApiKey | undefined> {
  const { Item } = await hastyDocuments.send(
    new GetCommand({ TableName: TableName(), Key: itemKey(id), ConsistentRead: true }),
  );
  return storedKey.safeParse(Item).data;
}

/** Newest first; fewer than `limit` only where there are no more. */
export async function queryKeys(
  orgid: string,
  limit: number,
  after?: Pick<ApiKey, 'created_at' | 'keyid'>,
): Promise<ApiKey[]> {
  const items = await queryFirst(
    {
      TableName: TableName(),
      IndexName: 'gsi1',
      KeyConditionExpression: 'gsi1pk = :pk',
      ExpressionAttributeValues: { ':pk': index(orgid) },
      ScanIndexForward: false,
      ...(after && {
        ExclusiveStartKey: { ...itemKey(after.keyid), gsi1pk: index(orgid), gsi1sk: position(after) },
      }),
    },
    limit,
    hastyDocuments,
  );
  return items.map((item) => storedKey.parse(item));
}

/** The time of the first revocation stays. */
export async function markRevoked(id: string, at: string): Promise<void> {
  await hastyDocuments.send(
    new UpdateCommand({
      TableName: TableName(),
      Key: itemKey(id),
      UpdateExpression: 'SET revoked_at = if_not_exists(revoked_at, :at)',
      ConditionExpression: 'attribute_exists(pk)',
      ExpressionAttributeValues: { ':at': at },
    }),
  );
}

/** For a key that was issued offline, which has no item: one that says only that the key is revoked. */
export async function markOfflineKeyRevoked(id: string, at: string, expiresAt: string): Promise<void> {
  await hastyDocuments.send(
    new UpdateCommand({
      TableName: TableName(),
      Key: itemKey(id),
      UpdateExpression: 'SET revoked_at = if_not_exists(revoked_at, :at), #ttl = if_not_exists(#ttl, :ttl)',
      ExpressionAttributeNames: { '#ttl': 'ttl' },
      ExpressionAttributeValues: { ':at': at, ':ttl': ttlOf(expiresAt) },
    }),
  );
}
