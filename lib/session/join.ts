// Which member a person who has signed in is: of the organisation that was asked for, or else of the one that they joined
// first. Invitations of the address that the provider has verified are accepted before.
import { type Member, queryMemberships } from '#lib/access/member-items.ts';
import { deriveUserId } from '#lib/access/principal.ts';
import type { Identity } from './identity-provider.ts';
import { acceptInvitation, type Invitation, queryInvitations } from './invitation-items.ts';

interface JoinRequest {
  readonly orgid: string | undefined;
  readonly nowMs: number;
}

/** Undefined for who is no member of it, and for who is member of none. */
export async function findMember(identity: Identity, request: JoinRequest): Promise<Member | undefined> {
  const userid = deriveUserId(identity.issuer, identity.sub);
  const { orgid } = request;
  const before = await queryMemberships(userid);
  const memberships = (await join({ ...identity, userid }, before, request))
    ? await queryMemberships(userid)
    : before;
  if (orgid !== undefined) return memberships.find((each) => each.orgid === orgid);
  return memberships.toSorted((one, other) => Date.parse(one.created_at) - Date.parse(other.created_at))[0];
}

/**
 * A member of an organisation joins another one only at an address for sign-in that names it: any organisation can invite
 * any address, and would see who has it. Whoever is member of none joins all. False if nothing has changed.
 */
async function join(
  person: Identity & { readonly userid: string },
  before: readonly Member[],
  { orgid, nowMs }: JoinRequest,
): Promise<boolean> {
  const { email } = person;
  const invitations = email === undefined ? [] : await queryInvitations(email, nowMs);
  const isJoined = (invited: Invitation) => before.some((each) => each.orgid === invited.orgid);
  const isAskedFor = (invited: Invitation) =>
    orgid === undefined ? before.length === 0 : invited.orgid === orgid;
  const accepted = invitations.filter((each) => isAskedFor(each) || isJoined(each));
  for (const invited of accepted) await acceptInvitation(invited, toMember(invited, { ...person, nowMs }));
  return accepted.length > 0;
}

/** No earlier than the invitation, so that it is later than what a former membership has left. */
function toMember(
  { orgid, roles, created_by, email, created_at: invitedAt }: Invitation,
  { userid, name, nowMs }: Identity & { readonly userid: string; readonly nowMs: number },
): Member {
  const at = new Date(Math.max(nowMs, Date.parse(invitedAt))).toISOString();
  return {
    userid,
    orgid,
    roles,
    email,
    ...(name !== undefined && { name }),
    created_at: at,
    created_by,
    version: 1,
    updated_at: at,
    updated_by: created_by,
  };
}
