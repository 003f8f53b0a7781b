// Calls about one item. Conditions and updates are written in the expressions of DynamoDB; a name that ends
// in `If` returns whether the condition held instead of throwing.
import {
  DeleteCommand,
  GetCommand,
  type GetCommandInput,
  PutCommand,
  UpdateCommand,
  type UpdateCommandInput,
} from '@aws-sdk/lib-dynamodb';
import { type Table, tableName } from './client.ts';
import {
  type Condition,
  isFailedCondition,
  itemOfFailedCondition,
  type MarshalledItem,
  succeedsUnlessConditionFails,
} from './conditions.ts';

export type Item = Record<string, unknown>;
export interface Key {
  readonly pk: string;
  readonly sk: string;
}

interface GetOptions extends Pick<GetCommandInput, 'ConsistentRead' | 'ProjectionExpression'> {
  readonly abortSignal?: AbortSignal;
}

/** A strongly consistent read, unless the options say otherwise. Undefined when there is no such item. */
export async function getItem(
  table: Table,
  key: Key,
  { abortSignal, ...options }: GetOptions = {},
): Promise<Item | undefined> {
  const input = { TableName: tableName(table), Key: { ...key }, ConsistentRead: true, ...options };
  const { Item } = await table.client.send(new GetCommand(input), abortSignal && { abortSignal });
  return Item;
}

export async function putItem(table: Table, Item: Item): Promise<void> {
  await table.client.send(new PutCommand({ TableName: tableName(table), Item }));
}

export const putItemIf = async (table: Table, Item: Item, condition: Condition): Promise<boolean> =>
  await succeedsUnlessConditionFails(
    table.client.send(new PutCommand({ TableName: tableName(table), Item, ...condition })),
  );

/**
 * Claims a key: puts the item, or returns the one that is there where the condition does not let it be
 * replaced.
 */
export async function claimItem(
  table: Table,
  Item: Item,
  condition: Partial<Condition>,
): Promise<MarshalledItem | undefined> {
  const put = { Item, ...condition, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } as const;
  try {
    await table.client.send(new PutCommand({ TableName: tableName(table), ...put }));
    return undefined;
  } catch (error) {
    if (isFailedCondition(error)) return itemOfFailedCondition(error);
    throw error;
  }
}

type Update = Omit<UpdateCommandInput, 'TableName' | 'Key'>;

/** Throws when a condition of the update fails. Returns the attributes that `ReturnValues` asks for. */
export async function updateItem(table: Table, key: Key, update: Update): Promise<Item> {
  const input = { TableName: tableName(table), Key: { ...key }, ...update };
  const { Attributes = {} } = await table.client.send(new UpdateCommand(input));
  return Attributes;
}

export const updateItemIf = async (
  table: Table,
  key: Key,
  update: Update & { readonly ConditionExpression: string },
): Promise<boolean> => await succeedsUnlessConditionFails(updateItem(table, key, update));

export const deleteItemIf = async (table: Table, key: Key, condition: Partial<Condition>): Promise<boolean> =>
  await succeedsUnlessConditionFails(
    table.client.send(new DeleteCommand({ TableName: tableName(table), Key: { ...key }, ...condition })),
  );
