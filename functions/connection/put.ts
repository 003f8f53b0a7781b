import { connectionRoutes } from '#lib/api/connection-routes.ts';
import { endpoint } from '#lib/api/endpoint.ts';
import { put } from '#lib/connection/vault/put.ts';

export const handler = endpoint(
  connectionRoutes.putConnection,
  async ({ caller, params, query, body, at }) => ({
    json: await put(caller, { ...query, ...params }, body, at),
  }),
);
