// Invites a person by e-mail address. The person becomes a member by signing in with it.
import type { Caller } from '#lib/access/caller.ts';
import type { Member } from '#lib/access/member-items.ts';
import { optionalEnv, requireEnv } from '#lib/env.ts';
import { ServiceError } from '#lib/errors.ts';
import { type Invitation, insertInvitation } from '#lib/session/invitation-items.ts';
import { isVisible, refreshCaller, requireAuthority, requireKnownWorkspaces } from './authority.ts';
import type { InviteBody, WireInvitation } from './member.ts';
import { findMemberWithEmail } from './member-items.ts';

const dayMs = 86_400_000;

export async function inviteMember(caller: Caller, body: InviteBody, at: string): Promise<WireInvitation> {
  const { email, roles, expires_in_days } = body;
  requireAuthority(await refreshCaller(caller), roles);
  await requireKnownWorkspaces(caller, roles);
  const member = await findMemberWithEmail(caller.orgid, email);
  if (member) throw alreadyMember(caller, member);
  await openAccount(email);
  const invitation = await insertInvitation({
    email,
    orgid: caller.orgid,
    roles,
    created_at: at,
    created_by: caller.id,
    expires_at: new Date(Date.parse(at) + expires_in_days * dayMs).toISOString(),
  });
  if (invitation) return toWireInvitation(invitation);
  throw new ServiceError('already_invited', {
    detail: `${email} has an open invitation: withdraw it with DELETE /api/v1/invitations/{invitationid} to invite again.`,
  });
}

/** Who may not see the member learns no id of theirs. */
const alreadyMember = (caller: Caller, member: Member): ServiceError =>
  new ServiceError('already_member', {
    detail: isVisible(caller, member)
      ? `${member.email} is a member already: change the roles with PUT /api/v1/members/${member.userid}.`
      : `${member.email} is a member already, with roles in workspaces that these credentials are not for: somebody who may change members in all of them can add a role.`,
  });

/** Before the invitation, so that a request that failed can be repeated. Only a tenant with a user pool has accounts. */
async function openAccount(email: string): Promise<void> {
  const userPoolId = optionalEnv('SIGN_IN_USER_POOL_ID');
  if (userPoolId === undefined) return;
  const { createAccount } = await import('#lib/session/user-pool.ts');
  await createAccount(userPoolId, email);
}

export const toWireInvitation = (invitation: Invitation): WireInvitation => ({
  ...invitation,
  sign_in_url: `${requireEnv('GATEWAY_URL')}/auth/login?orgid=${invitation.orgid}`,
});
