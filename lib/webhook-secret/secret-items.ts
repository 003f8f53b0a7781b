// The items of signing secrets in the control table: one per scope, its secrets encrypted together, beside
// what may be shown of them.
import * as z from 'zod';
import { lowLatencyControlTable } from '#lib/dynamo/client.ts';
import { mustExist } from '#lib/dynamo/conditions.ts';
import { deleteItemIf, getItem, putItemIf } from '#lib/dynamo/items.ts';
import type { TransactionAction } from '#lib/dynamo/transactions.ts';
import { type SecretScope, secretEntry } from './signing-secret.ts';

const itemKey = ({ orgid, workspaceid, ...scope }: SecretScope) => ({
  pk: `SECRET#${orgid}#${workspaceid}`,
  sk: sortKey(scope),
});

/** Flows cannot have the ids of triggers. */
function sortKey({ flowid, trigger }: Pick<SecretScope, 'flowid' | 'trigger'>): string {
  if (trigger) return `WEBHOOK#${trigger.trigger_id}#${trigger.declared_at}`;
  return flowid === undefined ? 'CALLBACK' : `WEBHOOK#${flowid}`;
}

export const storedSecrets = z.object({
  /** +1 with every change; the condition of the next. */
  version: z.number(),
  entries: z.array(secretEntry),
  /** The texts of the entries, in their order, encrypted. */
  sealed: z.custom<Uint8Array>((value) => value instanceof Uint8Array),
});
export type StoredSecrets = z.infer<typeof storedSecrets>;

export async function readSecrets(scope: SecretScope): Promise<StoredSecrets | undefined> {
  const item = await getItem(lowLatencyControlTable, itemKey(scope));
  return item && storedSecrets.parse(item);
}

/** False when the secrets are no longer of the version before. */
export const writeSecrets = async (scope: SecretScope, secrets: StoredSecrets): Promise<boolean> =>
  await putItemIf(
    lowLatencyControlTable,
    { ...itemKey(scope), ...secrets },
    {
      ConditionExpression: 'attribute_not_exists(pk) OR version = :before',
      ExpressionAttributeValues: { ':before': secrets.version - 1 },
    },
  );

/** False when there are none. */
export const deleteSecrets = async (scope: SecretScope): Promise<boolean> =>
  await deleteItemIf(lowLatencyControlTable, itemKey(scope), mustExist);

/** Removes them in a transaction, if there are any. */
export const removeSecretsAction = (scope: SecretScope): TransactionAction => ({
  Delete: { Key: itemKey(scope) },
});
