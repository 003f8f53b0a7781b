import { endpoint } from '#lib/http/endpoint.ts';
import { toPage } from '#lib/http/page.ts';
import { listInvitations } from '#lib/member/invitations.ts';
import { memberRoutes } from '#lib/routes/member-routes.ts';

export const handler = endpoint(memberRoutes.listInvitations, async ({ caller, query, at }) =>
  toPage(query, await listInvitations(caller, query, at)),
);
