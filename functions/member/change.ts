import { etagHeaders, ifMatch } from '#lib/http/conditional.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { changeMember } from '#lib/member/own-members.ts';
import { memberRoutes } from '#lib/routes/member-routes.ts';

const route = memberRoutes.changeMember;

export const handler = endpoint(route, async ({ caller, params, body, at, headers }) => {
  const json = await changeMember(caller, { ...params, ...body, at, ifMatch: ifMatch(headers) });
  return { json, headers: etagHeaders(json) };
});
