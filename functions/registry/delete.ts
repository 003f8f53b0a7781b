import { expectedVersion } from '#lib/http/conditional.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { remove } from '#lib/registry/delete.ts';
import { registryRoutes } from '#lib/routes/registry-routes.ts';

export const handler = endpoint(
  registryRoutes.deleteRegistryRow,
  async ({ caller, params, at, requestId, headers }) => {
    const wish = { at, requestId, expectedVersion: expectedVersion(headers) };
    await remove(caller, params.a2aregistryid, wish);
    return { empty: true };
  },
);
