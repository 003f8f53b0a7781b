import { tryConnection } from '#lib/connection/try-connection.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { connectionRoutes } from '#lib/routes/connection-routes.ts';

export const handler = endpoint(connectionRoutes.tryConnection, async ({ caller, params, query, body }) => ({
  json: await tryConnection(caller, { ...query, ...params, ...body }),
}));
