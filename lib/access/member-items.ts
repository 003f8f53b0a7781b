// Which organisations a user is a member of, and as what: an item of the control table for each.
import * as z from 'zod';
import { lowLatencyControlTable } from '#lib/dynamo/client.ts';
import { getItem } from '#lib/dynamo/items.ts';
import { queryFirst } from '#lib/dynamo/query.ts';
import { orgid } from '#lib/ids.ts';
import { byWorkspace, type Caller } from './caller.ts';
import { userId } from './principal.ts';
import { memberRoles, rolePermissions } from './role.ts';

export const member = /* @__PURE__ */ z.lazy(() =>
  z.object({
    userid: userId,
    orgid,
    roles: memberRoles,
    /** As the provider has verified it when the user became a member. */
    email: z.string(),
    name: z.string().optional(),
    /** The membership before it, if there was one, is another: its sessions and keys are older. */
    created_at: z.string(),
    /** The principal that has invited the user. */
    created_by: z.string(),
    version: z.int(),
    updated_at: z.string(),
    updated_by: z.string(),
  }),
);
export type Member = z.infer<typeof member>;

export const memberItemKey = ({ userid, orgid }: Pick<Member, 'userid' | 'orgid'>) => ({
  pk: `USER#${userid}`,
  sk: `MEMBER#${orgid}`,
});

export async function readMember(key: Pick<Member, 'userid' | 'orgid'>): Promise<Member | undefined> {
  const item = await getItem(lowLatencyControlTable, memberItemKey(key));
  return item && member.parse(item);
}

/**
 * The membership under which a credential was made. None if it has ended, even if the user is a member again: nobody
 * gets back the sessions and keys of a former membership.
 */
export async function readMemberOf({
  created_at,
  ...key
}: Pick<Member, 'userid' | 'orgid'> & { readonly created_at: string }): Promise<Member | undefined> {
  const member = await readMember(key);
  return member && member.created_at <= created_at ? member : undefined;
}

const membershipsMax = 50;

/** In the order of the ids of their organisations. */
export async function queryMemberships(userid: string): Promise<Member[]> {
  const items = await queryFirst(
    lowLatencyControlTable,
    {
      KeyConditionExpression: 'pk = :pk AND begins_with(sk, :sk)',
      ExpressionAttributeValues: { ':pk': `USER#${userid}`, ':sk': 'MEMBER#' },
      ConsistentRead: true,
    },
    membershipsMax,
  );
  return items.map((item) => member.parse(item));
}

/** A member as the caller of a request. */
export function toCaller({ userid: id, orgid, roles }: Pick<Member, 'userid' | 'orgid' | 'roles'>): Caller {
  const each = Object.entries(roles)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, role]) => [name, new Set(rolePermissions[role])] as const);
  const everywhere = each.find(([name]) => name === '*');
  if (everywhere) return { id, orgid, workspaces: '*', scopes: everywhere[1] };
  return { id, orgid, ...byWorkspace(new Map(each)) };
}
