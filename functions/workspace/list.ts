import { endpoint } from '#lib/http/endpoint.ts';
import { toPage } from '#lib/http/page.ts';
import { workspaceRoutes } from '#lib/routes/workspace-routes.ts';
import { listWorkspaces } from '#lib/workspace/own-workspaces.ts';

export const handler = endpoint(workspaceRoutes.listWorkspaces, async ({ caller, query }) =>
  toPage(query, await listWorkspaces(caller, query)),
);
