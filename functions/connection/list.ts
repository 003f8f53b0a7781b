import { connectionRoutes } from '#lib/api/connection-routes.ts';
import { endpoint } from '#lib/api/endpoint.ts';
import { pageOf } from '#lib/api/page.ts';
import { list } from '#lib/connection/vault/list.ts';

export const handler = endpoint(connectionRoutes.listConnections, async ({ caller, query }) =>
  pageOf(query, await list(caller, query)),
);
