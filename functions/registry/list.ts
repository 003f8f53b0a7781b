import { endpoint } from '#lib/api/endpoint.ts';
import { taggedPage } from '#lib/api/page.ts';
import { registryRoutes } from '#lib/api/registry-routes.ts';
import { list, listFlows } from '#lib/registry/list.ts';
import { wireFlow } from '#lib/registry/wire-flow.ts';
import { wireRow } from '#lib/registry/wire-row.ts';

export const handler = endpoint(registryRoutes.listRegistryRows, async ({ caller, query, headers }) => {
  const request = { query, headers };
  if (query.flow_list) {
    const { items, nextCursor } = await listFlows(caller, query);
    return taggedPage(request, { items: items.map(wireFlow), nextCursor });
  }
  const { items, nextCursor } = await list(caller, query);
  return taggedPage(request, { items: items.map((row) => wireRow(row)), nextCursor });
});
