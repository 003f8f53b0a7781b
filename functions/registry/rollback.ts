import { endpoint } from '#lib/api/endpoint.ts';
import { registryHistoryRoutes } from '#lib/api/registry-history-routes.ts';
import { wireLiveRow } from '#lib/registry/live/wire-live-row.ts';
import { rollback } from '#lib/registry/rollback.ts';

const route = registryHistoryRoutes.rollBackRegistryRow;

export const handler = endpoint(route, async ({ caller, params, at, requestId }) => ({
  json: wireLiveRow(await rollback(caller, params.a2aregistryid, { at, requestId })),
}));
