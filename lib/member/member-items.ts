// Lists, changes and removes the items of members. What every request reads of them is in `lib/access/member-items.ts`, to
// keep bundles small.
import { type Member, member, memberItemKey } from '#lib/access/member-items.ts';
import { countOwners } from '#lib/access/owner-count.ts';
import { controlTable } from '#lib/dynamo/client.ts';
import { isFailedConditionReason } from '#lib/dynamo/conditions.ts';
import { ifUnchanged } from '#lib/dynamo/etag.ts';
import { queryFirst } from '#lib/dynamo/query.ts';
import { type TransactionAction, transactWrite } from '#lib/dynamo/transactions.ts';
import {
  deriveInvitationId,
  invitationItemKey,
  memberIndex,
  memberPosition,
  toMemberItem,
} from '#lib/session/invitation-items.ts';

type Position = Pick<Member, 'email' | 'userid'>;

/** In the order of their addresses; fewer than `limit` only where there are no more. */
export async function queryMembers(orgid: string, limit: number, after?: Position): Promise<Member[]> {
  const pk = memberIndex(orgid);
  const items = await queryFirst(
    controlTable,
    {
      IndexName: 'gsi1',
      KeyConditionExpression: 'gsi1pk = :pk',
      ExpressionAttributeValues: { ':pk': pk },
      ...(after && {
        ExclusiveStartKey: {
          ...memberItemKey({ userid: after.userid, orgid }),
          gsi1pk: pk,
          gsi1sk: memberPosition(after),
        },
      }),
    },
    limit,
  );
  return items.map((item) => member.parse(item));
}

/** From an index that lags behind writes by moments. */
export async function findMemberWithEmail(orgid: string, email: string): Promise<Member | undefined> {
  const [found] = await queryFirst(
    controlTable,
    {
      IndexName: 'gsi1',
      KeyConditionExpression: 'gsi1pk = :pk AND begins_with(gsi1sk, :email)',
      ExpressionAttributeValues: {
        ':pk': memberIndex(orgid),
        ':email': memberPosition({ email, userid: '' }),
      },
    },
    1,
  );
  return found && member.parse(found);
}

/** `lastOwner`: the organisation would have no owner any more. */
export type MemberWrite = 'done' | 'changed' | 'lastOwner';

export const replaceMember = async (after: Member, before: Member): Promise<MemberWrite> =>
  await write(
    [{ Put: { Item: toMemberItem(after), ...ifUnchanged(before) } }],
    countOwners(before.orgid, before.roles, after.roles),
  );

/** An invitation of the same address would let the person in again. */
export const deleteMember = async (before: Member): Promise<MemberWrite> =>
  await write(
    [
      { Delete: { Key: memberItemKey(before), ...ifUnchanged(before) } },
      {
        Delete: {
          Key: invitationItemKey({
            invitationid: deriveInvitationId(before.email),
            orgid: before.orgid,
          }),
        },
      },
    ],
    countOwners(before.orgid, before.roles, undefined),
  );

/** In one transaction with the number of owners, whose condition decides whether there are enough. */
async function write(
  actions: readonly TransactionAction[],
  owners: readonly TransactionAction[],
): Promise<MemberWrite> {
  const reasons = await transactWrite(controlTable, [...actions, ...owners]);
  if (!reasons) return 'done';
  const isUnchanged = !isFailedConditionReason(reasons[0]);
  return isUnchanged && isFailedConditionReason(reasons[actions.length]) ? 'lastOwner' : 'changed';
}
