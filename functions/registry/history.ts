import { endpoint } from '#lib/api/endpoint.ts';
import { pageOf } from '#lib/api/page.ts';
import { registryHistoryRoutes } from '#lib/api/registry-history-routes.ts';
import { history } from '#lib/registry/history/history.ts';

const route = registryHistoryRoutes.getRegistryRowHistory;

export const handler = endpoint(route, async ({ caller, params, query }) =>
  pageOf(query, await history(caller, params.a2aregistryid, query)),
);
