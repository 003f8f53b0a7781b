import { etagHeaders } from '#lib/http/conditional.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { workspaceRoutes } from '#lib/routes/workspace-routes.ts';
import { createWorkspace } from '#lib/workspace/own-workspaces.ts';

export const handler = endpoint(workspaceRoutes.createWorkspace, async ({ caller, body, at }) => {
  const json = await createWorkspace(caller, body, at);
  return { json, headers: { ...etagHeaders(json), location: `/api/v1/workspaces/${json.workspaceid}` } };
});
