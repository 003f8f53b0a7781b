import { connectionRoutes } from '#lib/api/connection-routes.ts';
import { streamEndpoint } from '#lib/api/endpoint.ts';
import { list } from '#lib/connection/vault/list.ts';

export const { handler, buffered } = streamEndpoint(
  connectionRoutes.listConnections,
  async ({ caller, query }) => ({ json: { items: await list(caller, query.workspaceid) } }),
);
