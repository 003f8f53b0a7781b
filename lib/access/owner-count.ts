// How many owners an organisation has: an item of the control table, which changes in the transactions that make, change
// and remove members. Its condition leaves every organisation an owner, whoever acts at the same time.
import type { TransactionAction } from '#lib/dynamo/transactions.ts';
import type { MemberRoles } from './role.ts';

export const organizationItemKey = (orgid: string) => ({ pk: `ORG#${orgid}`, sk: 'META' });

/** Of the whole organisation. */
export const isOwner = (roles: MemberRoles | undefined): boolean => roles?.['*'] === 'owner';

/** The update that belongs to a change of a member's roles, if it makes an owner, or one less. */
export function countOwners(
  orgid: string,
  before: MemberRoles | undefined,
  after: MemberRoles | undefined,
): TransactionAction[] {
  if (isOwner(before) === isOwner(after)) return [];
  return [{ Update: { Key: organizationItemKey(orgid), ...(isOwner(after) ? addOwner : removeOwner) } }];
}

const addOwner = { UpdateExpression: 'ADD owners :one', ExpressionAttributeValues: { ':one': 1 } };
const removeOwner = {
  UpdateExpression: 'ADD owners :less',
  ConditionExpression: 'owners > :one',
  ExpressionAttributeValues: { ':less': -1, ':one': 1 },
};
