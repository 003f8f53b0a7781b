// The items of grants in the control table: what a user has allowed an OAuth client to do. The consent page writes
// them; an access token is good while that of its grant exists.
import * as z from 'zod';
import { lowLatencyControlTable } from '#lib/dynamo/client.ts';
import { getItem } from '#lib/dynamo/items.ts';
import { orgid, workspaceid } from '#lib/ids.ts';
import { userId } from './principal.ts';

export const grantId = /* @__PURE__ */ z.lazy(() =>
  z.string().regex(/^[\w-]{20,64}$/, 'must be 20 to 64 letters, digits, "-" and "_"'),
);

export const grant = /* @__PURE__ */ z.lazy(() =>
  z.object({
    grantid: grantId,
    userid: userId,
    orgid,
    workspaces: z.union([z.literal('*'), z.array(workspaceid).min(1).max(50)]),
    /** A name that the service has given, or the URL of a client metadata document. */
    clientid: z.string(),
    client_name: z.string().optional(),
    /** Names of scopes; one that no longer exists allows nothing. */
    scopes: z.array(z.string()),
    created_at: z.string(),
    expires_at: z.string(),
  }),
);
export type Grant = z.infer<typeof grant>;

export const grantItemKey = (grantid: string) => ({ pk: `GRANT#${grantid}`, sk: 'META' });

/** All grants of a user, in all organisations, in the index gsi1. */
export const grantIndex = (userid: string): string => `GRANTS#${userid}`;

/** DynamoDB deletes it some time after its end, which is why every reader looks at the end itself. */
export const toGrantItem = (grant: Grant) => ({
  ...grantItemKey(grant.grantid),
  gsi1pk: grantIndex(grant.userid),
  gsi1sk: grant.created_at,
  ttl: Math.ceil(Date.parse(grant.expires_at) / 1_000),
  ...grant,
});

/** Undefined for a grant that has ended. */
export async function readGrant(grantid: string, nowMs: number): Promise<Grant | undefined> {
  const item = await getItem(lowLatencyControlTable, grantItemKey(grantid));
  const read = item && grant.parse(item);
  return read && nowMs < Date.parse(read.expires_at) ? read : undefined;
}
