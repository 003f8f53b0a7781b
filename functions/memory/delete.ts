import { endpoint } from '#lib/http/endpoint.ts';
import { deleteMemory } from '#lib/memory/delete.ts';
import { memoryRoutes } from '#lib/routes/memory-routes.ts';

export const handler = endpoint(memoryRoutes.deleteMemory, async ({ caller, params, query }) => {
  const { flow_id: flowid, environment, memory_id } = params;
  await deleteMemory(caller, { workspaceid: query.workspaceid, flowid, environment }, memory_id);
  return { empty: true };
});
