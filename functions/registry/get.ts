import { endpoint } from '#lib/api/endpoint.ts';
import { registryRoutes } from '#lib/api/registry-routes.ts';
import { ownRow } from '#lib/registry/own-row.ts';
import { openFlow } from '#lib/registry/payload/flow-payload.ts';
import { wireRow } from '#lib/registry/wire-row.ts';

export const handler = endpoint(registryRoutes.getRegistryRow, async ({ caller, params, query }) => {
  const row = await ownRow(caller, params.a2aregistryid);
  return { json: wireRow(row, query.flow ? await openFlow(row) : undefined) };
});
