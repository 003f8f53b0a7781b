// Which links were used: an item of the run for each, by the hash of its token, and how many expired links of the run
// were replaced.
import { runsTable } from '#lib/dynamo/client.ts';
import { mustNotExist } from '#lib/dynamo/conditions.ts';
import { getItem, putItemIf, updateItemIf } from '#lib/dynamo/items.ts';
import type { TransactionAction } from '#lib/dynamo/transactions.ts';

export interface Spent {
  readonly run_id: string;
  readonly hash: string;
  /** Seconds since 1970: when nobody can use or replace the link any more. */
  readonly ttl: number;
}

const itemKey = (run_id: string, name: string) => ({ pk: `RUN#${run_id}`, sk: `LINK#${name}` });

const toItem = ({ run_id, hash, ttl }: Spent) => ({ ...itemKey(run_id, hash), ttl });

/** In the transaction that stores the value, so that exactly one of several requests with a link has an effect. */
export const spendAction = (spent: Spent): TransactionAction => ({
  Put: { Item: toItem(spent), ...mustNotExist },
});

/** False when the link was used before. */
export const spendLink = async (spent: Spent): Promise<boolean> =>
  await putItemIf(runsTable, toItem(spent), mustNotExist);

export const isSpent = async ({ run_id, hash }: Pick<Spent, 'run_id' | 'hash'>): Promise<boolean> =>
  (await getItem(runsTable, itemKey(run_id, hash))) !== undefined;

/** False when as many links of the run were replaced before. */
export const countReplaced = async (
  { run_id, ttl }: Pick<Spent, 'run_id' | 'ttl'>,
  replacedMax: number,
): Promise<boolean> =>
  await updateItemIf(runsTable, itemKey(run_id, 'REPLACED'), {
    UpdateExpression: 'SET #ttl = :ttl ADD replaced :one',
    ConditionExpression: 'attribute_not_exists(replaced) OR replaced < :max',
    ExpressionAttributeNames: { '#ttl': 'ttl' },
    ExpressionAttributeValues: { ':ttl': ttl, ':one': 1, ':max': replacedMax },
  });
