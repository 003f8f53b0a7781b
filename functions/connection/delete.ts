import { connectionRoutes } from '#lib/api/connection-routes.ts';
import { endpoint } from '#lib/api/endpoint.ts';
import { remove } from '#lib/connection/vault/remove.ts';

export const handler = endpoint(connectionRoutes.deleteConnection, async ({ caller, params, query }) => {
  await remove(caller, { ...query, ...params });
  return { empty: true };
});
