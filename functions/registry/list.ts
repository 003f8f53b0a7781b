import { endpoint } from '#lib/http/endpoint.ts';
import { toTaggedPage } from '#lib/http/page.ts';
import { list, listFlows } from '#lib/registry/list.ts';
import { toWireFlow, toWireRow } from '#lib/registry/wire-row.ts';
import { registryRoutes } from '#lib/routes/registry-routes.ts';

export const handler = endpoint(registryRoutes.listRegistryRows, async ({ caller, query, headers }) => {
  const request = { query, headers };
  if (query.flow_list) {
    const { items, nextCursor } = await listFlows(caller, query);
    return toTaggedPage(request, { items: items.map(toWireFlow), nextCursor });
  }
  const { items, nextCursor } = await list(caller, query);
  return toTaggedPage(request, { items: items.map((row) => toWireRow(row)), nextCursor });
});
