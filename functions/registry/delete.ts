import { expectedVersion } from '#lib/api/conditional.ts';
import { endpoint } from '#lib/api/endpoint.ts';
import { registryRoutes } from '#lib/api/registry-routes.ts';
import { remove } from '#lib/registry/remove.ts';

export const handler = endpoint(
  registryRoutes.deleteRegistryRow,
  async ({ caller, params, at, requestId, headers }) => {
    const wish = { at, requestId, expectedVersion: expectedVersion(headers) };
    await remove(caller, params.a2aregistryid, wish);
    return { empty: true };
  },
);
