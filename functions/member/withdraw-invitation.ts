import { endpoint } from '#lib/http/endpoint.ts';
import { withdrawInvitation } from '#lib/member/invitations.ts';
import { memberRoutes } from '#lib/routes/member-routes.ts';

export const handler = endpoint(memberRoutes.withdrawInvitation, async ({ caller, params, at }) => {
  await withdrawInvitation(caller, params.invitationid, at);
  return { empty: true };
});
