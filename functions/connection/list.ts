import { listConnections } from '#lib/connection/list.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { toPage } from '#lib/http/page.ts';
import { connectionRoutes } from '#lib/routes/connection-routes.ts';

export const handler = endpoint(connectionRoutes.listConnections, async ({ caller, query }) =>
  toPage(query, await listConnections(caller, query)),
);
