// Transactions: all of their actions or none. The actions are those of the DynamoDB API, without the name of
// the table.
import {
  TransactGetCommand,
  TransactWriteCommand,
  type TransactWriteCommandInput,
} from '@aws-sdk/lib-dynamodb';
import type { CancellationReason } from '#lib/aws-errors.ts';
import { ServiceError } from '#lib/errors.ts';
import { type Table, tableName } from './client.ts';
import { conflictReasons, isFailedConditionReason } from './conditions.ts';
import type { Item, Key } from './items.ts';

type SdkAction = NonNullable<TransactWriteCommandInput['TransactItems']>[number];
type Named<Operation> = Omit<NonNullable<Operation>, 'TableName'>;
export type TransactionAction =
  | { readonly Put: Named<SdkAction['Put']> }
  | { readonly Update: Named<SdkAction['Update']> }
  | { readonly Delete: Named<SdkAction['Delete']> };

/**
 * Undefined when it is committed, else the reasons why it lost to other writers, one for each action. Single
 * actions go through here too where a repetition matters: one that the SDK sends again because the answer got
 * lost does not fail by its own effect.
 */
export async function transactWrite(
  table: Table,
  actions: readonly TransactionAction[],
): Promise<readonly CancellationReason[] | undefined> {
  return await transactWriteTables(actions.map((action) => [table, action]));
}

/** One action; false when its condition failed. */
export async function transactWriteIf(table: Table, action: TransactionAction): Promise<boolean> {
  const reasons = await transactWrite(table, [action]);
  if (!reasons) return true;
  if (isFailedConditionReason(reasons[0])) return false;
  throw new ServiceError('dependency_unavailable', { cause: 'Another transaction is at the item.' });
}

/** The same over several tables. The client is that of the first one. */
export async function transactWriteTables(
  actions: readonly (readonly [Table, TransactionAction])[],
): Promise<readonly CancellationReason[] | undefined> {
  const TransactItems = actions.map(([table, action]) => withTable(action, tableName(table)));
  try {
    await actions[0]?.[0].client.send(new TransactWriteCommand({ TransactItems }));
    return undefined;
  } catch (error) {
    const reasons = conflictReasons(error);
    if (reasons) return reasons;
    throw error;
  }
}

function withTable(action: TransactionAction, TableName: string): SdkAction {
  if ('Put' in action) return { Put: { TableName, ...action.Put } };
  if ('Update' in action) return { Update: { TableName, ...action.Update } as SdkAction['Update'] };
  return { Delete: { TableName, ...action.Delete } };
}

/**
 * Items as they were at one moment, in the order of the keys. Undefined when a transaction was writing one of
 * them.
 */
export async function transactGet(
  table: Table,
  keys: readonly Key[],
): Promise<(Item | undefined)[] | undefined> {
  const TransactItems = keys.map((key) => ({ Get: { TableName: tableName(table), Key: { ...key } } }));
  try {
    const { Responses = [] } = await table.client.send(new TransactGetCommand({ TransactItems }));
    return keys.map((_key, n) => Responses[n]?.Item);
  } catch (error) {
    if (conflictReasons(error)) return undefined;
    throw error;
  }
}
