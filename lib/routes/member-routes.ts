// Members of an organisation, and invitations to it.
import * as z from 'zod';
import { userId } from '#lib/access/principal.ts';
import { pageCursor, pageLimit, pageSchema } from '#lib/http/parameters.ts';
import { management, route } from '#lib/http/route.ts';
import { changeMemberBody, invitation, inviteBody, member } from '#lib/member/member.ts';
import { invitationId } from '#lib/session/invitation-items.ts';

const shared = { ...management, tag: 'Access' } as const;
const path = z.strictObject({ userid: userId });

export const memberRoutes = {
  listMembers: route({
    ...shared,
    method: 'GET',
    path: '/api/v1/members',
    entry: 'member/list',
    summary: 'List the members of the organisation',
    description:
      'By e-mail address. Credentials for single workspaces list the members who have roles in no others. Open invitations are at `/api/v1/invitations`.',
    permission: 'members:read',
    query: z.strictObject({ limit: pageLimit('Members'), cursor: pageCursor }),
    response: {
      status: 200,
      description: 'One page of members.',
      schema: pageSchema(member, 'MemberPage'),
    },
    errors: [],
    uses: [],
  }),

  inviteMember: route({
    ...shared,
    method: 'POST',
    path: '/api/v1/members',
    entry: 'member/invite',
    summary: 'Invite a person by e-mail address',
    description:
      'The person becomes a member by signing in with this address at `sign_in_url`. The service sends no mail: send them that URL. Nobody can give more permissions than their own credentials have.',
    permission: 'members:write',
    body: inviteBody,
    bodyKind: 'management',
    response: { status: 201, description: 'The invitation.', schema: invitation },
    errors: ['already_member', 'already_invited'],
    uses: ['invitations.write', 'userPool.createAccount'],
  }),

  getMember: route({
    ...shared,
    method: 'GET',
    path: '/api/v1/members/{userid}',
    entry: 'member/get',
    summary: 'Get a member',
    permission: 'members:read',
    requestHeaders: ['If-None-Match'],
    params: path,
    response: { status: 200, description: 'The member.', schema: member },
    errors: ['member_not_found'],
    uses: [],
  }),

  changeMember: route({
    ...shared,
    method: 'PUT',
    path: '/api/v1/members/{userid}',
    entry: 'member/change',
    summary: 'Change the roles of a member',
    description:
      'Replaces all roles, and takes effect within a minute. It takes credentials that may do at least as much as the member, before and after. The last owner of an organisation stays one.',
    permission: 'members:write',
    requestHeaders: ['If-Match'],
    params: path,
    body: changeMemberBody,
    bodyKind: 'management',
    response: { status: 200, description: 'The member.', schema: member },
    errors: ['member_not_found', 'last_owner', 'version_conflict'],
    uses: ['members.write'],
  }),

  removeMember: route({
    ...shared,
    method: 'DELETE',
    path: '/api/v1/members/{userid}',
    entry: 'member/remove',
    summary: 'Remove a member',
    description:
      'Within a minute the sessions of the user in the organisation, what they have allowed to other programs there, and all keys that go back to them are refused, also if the user becomes a member again. What the user has made stays.',
    permission: 'members:write',
    requestHeaders: ['If-Match'],
    params: path,
    response: { status: 204, description: 'Removed.' },
    errors: ['member_not_found', 'last_owner', 'version_conflict'],
    uses: ['members.write', 'credentials.end'],
  }),

  listInvitations: route({
    ...shared,
    method: 'GET',
    path: '/api/v1/invitations',
    otherMethods: 'byFunction',
    entry: 'member/list-invitations',
    summary: 'List open invitations',
    permission: 'members:read',
    query: z.strictObject({ limit: pageLimit('Invitations'), cursor: pageCursor }),
    response: {
      status: 200,
      description: 'One page of invitations.',
      schema: pageSchema(invitation, 'InvitationPage'),
    },
    errors: [],
    uses: [],
  }),

  withdrawInvitation: route({
    ...shared,
    method: 'DELETE',
    path: '/api/v1/invitations/{invitationid}',
    otherMethods: 'byFunction',
    entry: 'member/withdraw-invitation',
    summary: 'Withdraw an open invitation',
    permission: 'members:write',
    params: z.strictObject({ invitationid: invitationId }),
    response: { status: 204, description: 'Withdrawn.' },
    errors: ['invitation_not_found'],
    uses: ['invitations.write'],
  }),
} as const;
