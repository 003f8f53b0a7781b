import { endpoint } from '#lib/api/endpoint.ts';
import { registryRoutes } from '#lib/api/registry-routes.ts';
import { promote } from '#lib/registry/promote.ts';
import { wireRow } from '#lib/registry/wire-row.ts';

export const handler = endpoint(registryRoutes.promoteRegistryRow, async ({ caller, params, at }) => ({
  json: wireRow(await promote(caller, params.a2aregistryid, at)),
}));
