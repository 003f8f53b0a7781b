import { digestHeaders, etagHeaders, notModified } from '#lib/http/conditional.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { workspaceRoutes } from '#lib/routes/workspace-routes.ts';
import { getWorkspace, isNamed } from '#lib/workspace/own-workspaces.ts';

const route = workspaceRoutes.getWorkspace;

export const handler = endpoint(route, async ({ caller, params, headers }) => {
  const json = await getWorkspace(caller, params.workspace_id);
  const tag = isNamed(json) ? etagHeaders(json) : digestHeaders(JSON.stringify(json));
  return notModified(headers, tag) ?? { json, headers: tag };
});
