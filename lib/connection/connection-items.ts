// The items of connections in the control table. No rule about who may see them, and nothing opened.
import {
  BatchGetCommand,
  type BatchGetCommandInput,
  type BatchGetCommandOutput,
  DeleteCommand,
  GetCommand,
  PutCommand,
  QueryCommand,
  type QueryCommandOutput,
} from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { unlessConditionFails } from '#lib/aws-errors.ts';
import { documents } from '#lib/dynamo/client.ts';
import { requireEnv } from '#lib/env.ts';
import { type ConnectionScope, connectionTypes } from '#lib/flow/format/connection.ts';
import {
  type Connection,
  connection,
  type Place,
  type StoredConnection,
  storedConnection,
} from './connection.ts';
import { connectionKey, partition, prefix } from './keys.ts';

const TableName = () => requireEnv('CONTROL_TABLE');

export async function putConnection(place: Place, stored: StoredConnection): Promise<void> {
  await documents.send(new PutCommand({ TableName: TableName(), Item: itemOf(place, stored) }));
}

const itemOf = (place: Place, stored: StoredConnection) => ({
  ...connectionKey(place, stored.scope, stored.name),
  ...stored,
});

/** False when there is none. */
export async function deleteConnection(place: Place, scope: ConnectionScope, name: string): Promise<boolean> {
  return await unlessConditionFails(
    documents.send(
      new DeleteCommand({
        TableName: TableName(),
        Key: connectionKey(place, scope, name),
        ConditionExpression: 'attribute_exists(pk)',
      }),
    ),
  );
}

export async function readConnection(
  place: Place,
  scope: ConnectionScope,
  name: string,
): Promise<StoredConnection | undefined> {
  const { Item } = await documents.send(
    new GetCommand({ TableName: TableName(), Key: connectionKey(place, scope, name), ConsistentRead: true }),
  );
  return Item && storedConnection.parse(Item);
}

const shownMembers = Object.keys(connection.shape);

/** Part of the connections of a scope: those that follow a name, or the first ones, and at most `count` (1 or more). */
interface Range {
  readonly after: string | undefined;
  readonly count: number;
}

/** By name, without the encrypted values. DynamoDB reads a megabyte at a time, and the next one only when the reader asks for more. */
export async function* queryConnections(
  place: Place,
  scope: ConnectionScope,
  { after, count }: Range,
): AsyncGenerator<Connection, void> {
  let left = count;
  let start: Record<string, unknown> | undefined =
    after === undefined ? undefined : connectionKey(place, scope, after);
  do {
    const page: QueryCommandOutput = await documents.send(
      new QueryCommand({
        TableName: TableName(),
        KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
        ExpressionAttributeValues: { ':pk': partition(place), ':prefix': prefix(scope, place) },
        ProjectionExpression: shownMembers.map((_name, n) => `#${n}`).join(', '),
        ExpressionAttributeNames: Object.fromEntries(shownMembers.map((name, n) => [`#${n}`, name])),
        ConsistentRead: true,
        Limit: left,
        ExclusiveStartKey: start,
      }),
    );
    for (const item of page.Items ?? []) yield connection.parse(item);
    left -= page.Items?.length ?? 0;
    start = page.LastEvaluatedKey;
  } while (start && left > 0);
}

const typed = z.object({ sk: z.string(), type: z.enum(connectionTypes), refused_at: z.string().optional() });

/** The types of those that exist and were not refused, by sort key; at most 100. What DynamoDB leaves undone is asked for again. */
export async function readTypes(keys: readonly { pk: string; sk: string }[]) {
  const types = new Map<string, z.infer<typeof typed>['type']>();
  let pending: BatchGetCommandInput['RequestItems'] = {
    [TableName()]: {
      Keys: keys.map((key) => ({ ...key })),
      ConsistentRead: true,
      ProjectionExpression: 'sk, #type, refused_at',
      ExpressionAttributeNames: { '#type': 'type' },
    },
  };
  for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
    const answer: BatchGetCommandOutput = await documents.send(
      new BatchGetCommand({ RequestItems: pending }),
    );
    for (const item of answer.Responses?.[TableName()] ?? []) {
      const { sk, type, refused_at } = typed.parse(item);
      if (refused_at === undefined) types.set(sk, type);
    }
    pending = answer.UnprocessedKeys ?? {};
    if (Object.keys(pending).length === 0) return types;
  }
  throw Object.assign(new Error('DynamoDB left part of a batch undone.'), { name: 'ThrottlingException' });
}

const attemptsMax = 8;
