import { endpoint } from '#lib/http/endpoint.ts';
import { inviteMember } from '#lib/member/invite.ts';
import { memberRoutes } from '#lib/routes/member-routes.ts';

export const handler = endpoint(memberRoutes.inviteMember, async ({ caller, body, at }) => {
  const json = await inviteMember(caller, body, at);
  return { json, headers: { location: `/api/v1/invitations/${json.invitationid}` } };
});
