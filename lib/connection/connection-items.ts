// The items of connections in the control table, in one partition per workspace of an organisation. Access
// rules and decryption are elsewhere.
import * as z from 'zod';
import { batchGet } from '#lib/dynamo/batch.ts';
import { controlTable } from '#lib/dynamo/client.ts';
import { mustExist } from '#lib/dynamo/conditions.ts';
import { deleteItemIf, getItem, type Key, putItem } from '#lib/dynamo/items.ts';
import { queryPages } from '#lib/dynamo/query.ts';
import type { TransactionAction } from '#lib/dynamo/transactions.ts';
import { type ConnectionScope, connectionTypes } from '#lib/flow/format/connection.ts';
import {
  type Connection,
  type ConnectionOwner,
  connection,
  type StoredConnection,
  storedConnection,
} from './connection.ts';
import { connectionKey, connectionPartition, connectionPrefix } from './connection-key.ts';

export async function putConnection(owner: ConnectionOwner, stored: StoredConnection): Promise<void> {
  await putItem(controlTable, { ...connectionKey(owner, stored.scope, stored.name), ...stored });
}

/**
 * Stores a value where it is missing: there is none, or one of another type, or one that was refused. It never replaces
 * a value that runs use.
 */
export const putMissingConnection = (
  owner: ConnectionOwner,
  stored: StoredConnection,
): TransactionAction => ({
  Put: {
    Item: { ...connectionKey(owner, stored.scope, stored.name), ...stored },
    ConditionExpression: 'attribute_not_exists(pk) OR attribute_exists(refused_at) OR #type <> :type',
    ExpressionAttributeNames: { '#type': 'type' },
    ExpressionAttributeValues: { ':type': stored.type },
  },
});

/** False when there is none. */
export async function deleteConnection(
  owner: ConnectionOwner,
  scope: ConnectionScope,
  name: string,
): Promise<boolean> {
  return await deleteItemIf(controlTable, connectionKey(owner, scope, name), mustExist);
}

export async function readConnection(
  owner: ConnectionOwner,
  scope: ConnectionScope,
  name: string,
): Promise<StoredConnection | undefined> {
  const item = await getItem(controlTable, connectionKey(owner, scope, name));
  return item && storedConnection.parse(item);
}

const shownMembers = Object.keys(storedConnection.omit({ version: true, sealed: true }).shape);

/**
 * Part of the connections of a scope: those that follow a name, or the first ones, and at most `count` (1 or
 * more).
 */
interface Range {
  readonly after: string | undefined;
  readonly count: number;
}

/**
 * By name, without the encrypted values. DynamoDB reads a megabyte at a time, and the next one only when the
 * reader asks for more.
 */
export async function* queryConnections(
  owner: ConnectionOwner,
  scope: ConnectionScope,
  { after, count }: Range,
): AsyncGenerator<Connection, void> {
  const pages = queryPages(
    controlTable,
    {
      KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
      ExpressionAttributeValues: {
        ':pk': connectionPartition(owner),
        ':prefix': connectionPrefix(scope, owner),
      },
      ProjectionExpression: shownMembers.map((_name, n) => `#${n}`).join(', '),
      ExpressionAttributeNames: Object.fromEntries(shownMembers.map((name, n) => [`#${n}`, name])),
      ConsistentRead: true,
      ...(after !== undefined && { ExclusiveStartKey: connectionKey(owner, scope, after) }),
    },
    count,
  );
  for await (const items of pages) for (const item of items) yield connection.parse(item);
}

const typed = z.object({ sk: z.string(), type: z.enum(connectionTypes), refused_at: z.string().optional() });
type ConnectionType = z.infer<typeof typed>['type'];

/** The types of the connections that exist and were not refused, by sort key; at most 100 keys. */
export async function readTypes(keys: readonly Key[]): Promise<Map<string, ConnectionType>> {
  const items = await batchGet(controlTable, keys, {
    ConsistentRead: true,
    ProjectionExpression: 'sk, #type, refused_at',
    ExpressionAttributeNames: { '#type': 'type' },
  });
  const usable = items.map((item) => typed.parse(item)).filter((each) => each.refused_at === undefined);
  return new Map(usable.map(({ sk, type }) => [sk, type]));
}
