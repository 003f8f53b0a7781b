import { removeConnection } from '#lib/connection/own-connection.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { connectionRoutes } from '#lib/routes/connection-routes.ts';

export const handler = endpoint(connectionRoutes.deleteConnection, async ({ caller, params, query }) => {
  await removeConnection(caller, { ...query, ...params });
  return { empty: true };
});
