// Invitations by e-mail address, and the members that they become. An invitation is good once, and for some days.
import { hash } from 'node:crypto';
import * as z from 'zod';
import { type Member, member, memberItemKey } from '#lib/access/member-items.ts';
import { countOwners } from '#lib/access/owner-count.ts';
import { controlTable } from '#lib/dynamo/client.ts';
import { isFailedConditionReason, mustExist, mustNotExist } from '#lib/dynamo/conditions.ts';
import { deleteItemIf, getItem, putItem } from '#lib/dynamo/items.ts';
import { queryFirst } from '#lib/dynamo/query.ts';
import { transactWrite, transactWriteIf } from '#lib/dynamo/transactions.ts';
import { ServiceError } from '#lib/errors.ts';
import { built } from '#lib/json/built-schema.ts';

/** A dot-atom (RFC 5322 §3.4.1) at a host name with a dot (RFC 1123 §2.1), as the format `email` of JSON Schema has it. */
const emailPattern =
  /^[\w!#$%&'*+/=?^`{|}~-]+(\.[\w!#$%&'*+/=?^`{|}~-]+)*@([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z]{2,63}$/;

/** An address is compared in lower case: no provider gives two people addresses that differ in case only. */
export const email = z
  .email({ pattern: emailPattern, error: 'must be an e-mail address' })
  .max(254)
  .toLowerCase();

export const invitationId = z
  .string()
  .regex(/^inv_[\w-]{43}$/, 'must be "inv_" and 43 characters')
  .meta({
    description: 'The invitation of an e-mail address.',
    example: 'inv_n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg',
  });

export const storedInvitation = /* @__PURE__ */ z.lazy(() =>
  built(member)
    .pick({ orgid: true, roles: true, created_at: true, created_by: true })
    .extend({ invitationid: z.string(), email: z.string(), expires_at: z.string() }),
);
export type Invitation = z.infer<typeof storedInvitation>;

/** The address is not in the id, since ids are in logs. */
export const deriveInvitationId = (address: string): string => `inv_${hash('sha256', address, 'base64url')}`;

type InvitationKey = Pick<Invitation, 'invitationid' | 'orgid'>;
export const invitationItemKey = ({ invitationid, orgid }: InvitationKey) => ({
  pk: `INVITE#${invitationid}`,
  sk: `ORG#${orgid}`,
});
const index = (orgid: string) => `INVITES#${orgid}`;

/** The item of an invitation, with its place in the index. */
export function toInvitationItem(invitation: Omit<Invitation, 'invitationid'>) {
  const stored = { ...invitation, invitationid: deriveInvitationId(invitation.email) };
  return {
    ...invitationItemKey(stored),
    gsi1pk: index(stored.orgid),
    gsi1sk: stored.invitationid,
    ttl: Math.ceil(Date.parse(stored.expires_at) / 1_000),
    ...stored,
  };
}

/** Replaces an earlier invitation of the same address to the same organisation. */
export async function putInvitation(invitation: Omit<Invitation, 'invitationid'>): Promise<void> {
  await putItem(controlTable, toInvitationItem(invitation));
}

/** Undefined if the address has an open invitation to the organisation. */
export async function insertInvitation(
  invitation: Omit<Invitation, 'invitationid'>,
): Promise<Invitation | undefined> {
  const Item = toInvitationItem(invitation);
  const Put = {
    Item,
    ConditionExpression: 'attribute_not_exists(pk) OR expires_at <= :now',
    ExpressionAttributeValues: { ':now': invitation.created_at },
  };
  return (await transactWriteIf(controlTable, { Put })) ? storedInvitation.parse(Item) : undefined;
}

const isOpen = ({ expires_at }: Invitation, nowMs: number): boolean => Date.parse(expires_at) > nowMs;

/** Undefined if it has expired, too. */
export async function readInvitation(key: InvitationKey, nowMs: number): Promise<Invitation | undefined> {
  const item = await getItem(controlTable, invitationItemKey(key));
  const found = item && storedInvitation.parse(item);
  return found && isOpen(found, nowMs) ? found : undefined;
}

/** False if it is not the one that was read. */
export async function deleteInvitation(invitation: Invitation): Promise<boolean> {
  const Delete = { Key: invitationItemKey(invitation), ...ifSame(invitation) };
  return await transactWriteIf(controlTable, { Delete });
}

/** In the order of their ids; fewer than `limit` only where there are no more, those that have expired too. */
export async function queryInvitationsOf(
  orgid: string,
  limit: number,
  after: string | undefined,
): Promise<Invitation[]> {
  const items = await queryFirst(
    controlTable,
    {
      IndexName: 'gsi1',
      KeyConditionExpression: 'gsi1pk = :pk AND gsi1sk > :after',
      ExpressionAttributeValues: { ':pk': index(orgid), ':after': after ?? ' ' },
    },
    limit,
  );
  return items.map((item) => storedInvitation.parse(item));
}

const invitationsMax = 20;

/** The open invitations of an address, to all organisations. */
export async function queryInvitations(address: string, nowMs: number): Promise<Invitation[]> {
  const items = await queryFirst(
    controlTable,
    {
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': `INVITE#${deriveInvitationId(address)}` },
      ConsistentRead: true,
    },
    invitationsMax,
  );
  return items.map((item) => storedInvitation.parse(item)).filter((each) => isOpen(each, nowMs));
}

/** In one transaction, so that an invitation makes one member. Who is a member already stays what they are. */
export async function acceptInvitation(invited: Invitation, member: Member): Promise<void> {
  const reasons = await transactWrite(controlTable, [
    { Delete: { Key: invitationItemKey(invited), ...ifSame(invited) } },
    { Put: { Item: toMemberItem(member), ...mustNotExist } },
    ...countOwners(member.orgid, undefined, member.roles),
  ]);
  if (!reasons || isFailedConditionReason(reasons[0])) return;
  if (!isFailedConditionReason(reasons[1]))
    throw new ServiceError('dependency_unavailable', { cause: 'The invitation is contended.' });
  await deleteItemIf(controlTable, invitationItemKey(invited), mustExist);
}

/** Another invitation, with other roles, may have replaced it. */
const ifSame = ({ created_at, expires_at }: Invitation) => ({
  ConditionExpression: 'created_at = :created AND expires_at = :expires',
  ExpressionAttributeValues: { ':created': created_at, ':expires': expires_at },
});

export const memberIndex = (orgid: string): string => `MEMBERS#${orgid}`;
/** No address has a space. */
export const memberPosition = ({ email, userid }: Pick<Member, 'email' | 'userid'>): string =>
  `${email} ${userid}`;

export const toMemberItem = (member: Member) => ({
  ...memberItemKey(member),
  gsi1pk: memberIndex(member.orgid),
  gsi1sk: memberPosition(member),
  ...member,
});
