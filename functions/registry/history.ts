import { endpoint } from '#lib/http/endpoint.ts';
import { pageOf } from '#lib/http/page.ts';
import { history } from '#lib/registry/history/history.ts';
import { registryHistoryRoutes } from '#lib/routes/registry-history-routes.ts';

const route = registryHistoryRoutes.getRegistryRowHistory;

export const handler = endpoint(route, async ({ caller, params, query }) =>
  pageOf(query, await history(caller, params.a2aregistryid, query)),
);
