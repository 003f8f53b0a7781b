import { etagHeaders, ifMatch } from '#lib/http/conditional.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { workspaceRoutes } from '#lib/routes/workspace-routes.ts';
import { renameWorkspace } from '#lib/workspace/own-workspaces.ts';

const route = workspaceRoutes.renameWorkspace;

export const handler = endpoint(route, async ({ caller, params, body, at, headers }) => {
  const renaming = { workspaceid: params.workspace_id, ...body, at, ifMatch: ifMatch(headers) };
  const json = await renameWorkspace(caller, renaming);
  return { json, headers: etagHeaders(json) };
});
