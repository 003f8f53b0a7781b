import { ifMatch } from '#lib/http/conditional.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { removeMember } from '#lib/member/own-members.ts';
import { memberRoutes } from '#lib/routes/member-routes.ts';

export const handler = endpoint(memberRoutes.removeMember, async ({ caller, params, headers }) => {
  await removeMember(caller, { ...params, ifMatch: ifMatch(headers) });
  return { empty: true };
});
