import { expectedVersion, rowHeaders } from '#lib/api/conditional.ts';
import { endpoint } from '#lib/api/endpoint.ts';
import { registryRoutes } from '#lib/api/registry-routes.ts';
import { promote } from '#lib/registry/promote.ts';
import { wireRow } from '#lib/registry/wire-row.ts';

export const handler = endpoint(
  registryRoutes.promoteRegistryRow,
  async ({ caller, params, at, headers }) => {
    const options = { expectedVersion: expectedVersion(headers) };
    const row = await promote(caller, params.a2aregistryid, at, options);
    return { json: wireRow(row), headers: rowHeaders(row) };
  },
);
