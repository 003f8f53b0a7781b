import { deleteStored } from '#lib/connection/delete.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { connectionRoutes } from '#lib/routes/connection-routes.ts';

export const handler = endpoint(connectionRoutes.deleteConnection, async ({ caller, params, query }) => {
  await deleteStored(caller, { ...query, ...params });
  return { empty: true };
});
