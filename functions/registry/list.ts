import { endpoint } from '#lib/api/endpoint.ts';
import { pageAnswer } from '#lib/api/page-answer.ts';
import { registryRoutes } from '#lib/api/registry-routes.ts';
import { list, listFlows } from '#lib/registry/list.ts';
import { wireFlow } from '#lib/registry/wire-flow.ts';
import { wireRow } from '#lib/registry/wire-row.ts';

export const handler = endpoint(registryRoutes.listRegistryRows, async ({ caller, query, headers }) => {
  const request = { query, headers };
  if (query.flow_list) return pageAnswer(request, await listFlows(caller, query), wireFlow);
  return pageAnswer(request, await list(caller, query), (row) => wireRow(row));
});
