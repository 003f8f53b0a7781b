// What a person has allowed a client: the item of `lib/access/grant-items.ts`, with the resource that its tokens are for.
import * as z from 'zod';
import { grant, grantItemKey } from '#lib/access/grant-items.ts';
import { lowLatencyControlTable } from '#lib/dynamo/client.ts';
import { mustExist } from '#lib/dynamo/conditions.ts';
import { deleteItemIf, getItem } from '#lib/dynamo/items.ts';
import { built } from '#lib/json/built-schema.ts';

const storedGrant = /* @__PURE__ */ z.lazy(() =>
  built(grant).extend({
    /** Without a slash at the end. */
    resource: z.string(),
  }),
);
export type StoredGrant = z.infer<typeof storedGrant>;

/** People are asked again after this time, however often the client is used. */
export const grantSeconds = 365 * 86_400;

/** Undefined for a grant that has ended. */
export async function readStoredGrant(grantid: string, nowMs: number): Promise<StoredGrant | undefined> {
  const item = await getItem(lowLatencyControlTable, grantItemKey(grantid));
  const read = item && storedGrant.parse(item);
  return read && nowMs < Date.parse(read.expires_at) ? read : undefined;
}

/** Its tokens are refused within a minute. */
export async function endGrant(grantid: string): Promise<void> {
  await deleteItemIf(lowLatencyControlTable, grantItemKey(grantid), mustExist);
}
