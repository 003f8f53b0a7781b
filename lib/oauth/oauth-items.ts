// The items of the authorization server in the control table, one for each thing that oidc-provider stores. Their keys
// have only hashes, and no item has the value of a code or a token.
import { hash } from 'node:crypto';
import * as z from 'zod';
import { lowLatencyControlTable } from '#lib/dynamo/client.ts';
import { mustExist, mustNotExist } from '#lib/dynamo/conditions.ts';
import { getItem } from '#lib/dynamo/items.ts';
import type { TransactionAction } from '#lib/dynamo/transactions.ts';

/** The models of oidc-provider that are stored. */
export type StoredModel =
  | 'AuthorizationCode'
  | 'Client'
  | 'Interaction'
  | 'RefreshToken'
  | 'RegistrationAccessToken'
  | 'ReplayDetection';

const storedItem = z.object({
  payload: z.record(z.string(), z.unknown()),
  /** In seconds since 1970, as everything of oidc-provider. */
  expires_at: z.number(),
  consumed_at: z.number().optional(),
});
type StoredItem = z.infer<typeof storedItem>;

const itemKey = (model: StoredModel, id: string) => ({
  pk: `OAUTH#${model}#${hash('sha256', id, 'base64url')}`,
  sk: 'META',
});

/** Undefined for what has expired, which DynamoDB deletes some time later. */
export async function readStored(model: StoredModel, id: string): Promise<StoredItem | undefined> {
  const item = await getItem(lowLatencyControlTable, itemKey(model, id));
  const read = item && storedItem.parse(item);
  return read && Date.now() < read.expires_at * 1_000 ? read : undefined;
}

/** Never replaces anything: ids are random. */
export const insertAction = (
  model: StoredModel,
  id: string,
  { payload, expires_at }: Pick<StoredItem, 'payload' | 'expires_at'>,
): TransactionAction => ({
  Put: { Item: { ...itemKey(model, id), ttl: expires_at, expires_at, payload }, ...mustNotExist },
});

/** Once: the transaction fails if it has been consumed, or is no longer there. */
export const consumeAction = (model: StoredModel, id: string, now: number): TransactionAction => ({
  Update: {
    Key: itemKey(model, id),
    UpdateExpression: 'SET consumed_at = :now',
    ConditionExpression: 'attribute_exists(pk) AND attribute_not_exists(consumed_at)',
    ExpressionAttributeValues: { ':now': now },
  },
});

/** Fails if it is no longer there. */
export const takeAction = (model: StoredModel, id: string): TransactionAction => ({
  Delete: { Key: itemKey(model, id), ...mustExist },
});

export const removeAction = (model: StoredModel, id: string): TransactionAction => ({
  Delete: { Key: itemKey(model, id) },
});

/** A client that people use does not expire before what they have granted it. */
export const keepAction = (model: StoredModel, id: string, expires_at: number): TransactionAction => ({
  Update: {
    Key: itemKey(model, id),
    UpdateExpression: 'SET expires_at = :until, #ttl = :until',
    ...mustExist,
    ExpressionAttributeNames: { '#ttl': 'ttl' },
    ExpressionAttributeValues: { ':until': expires_at },
  },
});
