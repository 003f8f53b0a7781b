// The part of a key's item that every request reads and updates. Creating and listing keys is elsewhere, to
// keep bundles small.
import * as z from 'zod';
import { lowLatencyControlTable } from '#lib/dynamo/client.ts';
import { mustExist } from '#lib/dynamo/conditions.ts';
import { getItem, updateItem } from '#lib/dynamo/items.ts';

export const keyItemKey = (id: string) => ({ pk: `KEY#${id}`, sk: 'META' });

/** Also the form of the item that marks a key issued offline as revoked. */
const keyStatus = /* @__PURE__ */ z.lazy(() =>
  z.object({
    created_at: z.string().optional(),
    revoked_at: z.string().optional(),
    last_used_at: z.string().optional(),
    root: z.string().optional(),
  }),
);

export async function readKeyStatus(id: string): Promise<z.infer<typeof keyStatus> | undefined> {
  const item = await getItem(lowLatencyControlTable, keyItemKey(id));
  return item && keyStatus.parse(item);
}

/** Writes nothing but `last_used_at`, which is all that the permission `credentials.note` allows. */
export async function recordUse(id: string, at: string): Promise<void> {
  await updateItem(lowLatencyControlTable, keyItemKey(id), {
    UpdateExpression: 'SET last_used_at = :at',
    ...mustExist,
    ExpressionAttributeValues: { ':at': at },
  });
}
