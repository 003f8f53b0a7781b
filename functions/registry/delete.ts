import { endpoint } from '#lib/api/endpoint.ts';
import { registryRoutes } from '#lib/api/registry-routes.ts';
import { remove } from '#lib/registry/remove.ts';

export const handler = endpoint(
  registryRoutes.deleteRegistryRow,
  async ({ caller, params, at, requestId }) => {
    await remove(caller, params.a2aregistryid, at, requestId);
    return { empty: true };
  },
);
