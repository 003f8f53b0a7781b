import { endpoint } from '#lib/http/endpoint.ts';
import { toPage } from '#lib/http/page.ts';
import { listMembers } from '#lib/member/own-members.ts';
import { memberRoutes } from '#lib/routes/member-routes.ts';

export const handler = endpoint(memberRoutes.listMembers, async ({ caller, query }) =>
  toPage(query, await listMembers(caller, query)),
);
