import { ifMatch } from '#lib/http/conditional.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { workspaceRoutes } from '#lib/routes/workspace-routes.ts';
import { deleteWorkspace } from '#lib/workspace/own-workspaces.ts';

const route = workspaceRoutes.deleteWorkspace;

export const handler = endpoint(route, async ({ caller, params, at, headers }) => {
  await deleteWorkspace(caller, { workspaceid: params.workspace_id, at, ifMatch: ifMatch(headers) });
  return { empty: true };
});
