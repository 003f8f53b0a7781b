import { endpoint } from '#lib/http/endpoint.ts';
import { toPage } from '#lib/http/page.ts';
import { listMemory } from '#lib/memory/list.ts';
import { memoryRoutes } from '#lib/routes/memory-routes.ts';

export const handler = endpoint(memoryRoutes.listMemory, async ({ caller, params, query, at }) => {
  const { workspaceid, ...page } = query;
  const owner = { workspaceid, flowid: params.flow_id, environment: params.environment };
  return toPage(query, await listMemory(caller, owner, page, at));
});
