import { etagHeaders, notModified } from '#lib/http/conditional.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { getMember } from '#lib/member/own-members.ts';
import { memberRoutes } from '#lib/routes/member-routes.ts';

export const handler = endpoint(memberRoutes.getMember, async ({ caller, params, headers }) => {
  const json = await getMember(caller, params.userid);
  const tag = etagHeaders(json);
  return notModified(headers, tag) ?? { json, headers: tag };
});
