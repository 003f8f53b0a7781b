import { expectedVersion, rowHeaders } from '#lib/api/conditional.ts';
import { endpoint } from '#lib/api/endpoint.ts';
import { registryHistoryRoutes } from '#lib/api/registry-history-routes.ts';
import { wireLiveRow } from '#lib/registry/live/wire-live-row.ts';
import { rollback } from '#lib/registry/rollback.ts';

const route = registryHistoryRoutes.rollBackRegistryRow;

export const handler = endpoint(route, async ({ caller, params, at, requestId, headers }) => {
  const wish = { at, requestId, expectedVersion: expectedVersion(headers) };
  const swapped = await rollback(caller, params.a2aregistryid, wish);
  return { json: wireLiveRow(swapped), headers: rowHeaders(swapped.row) };
});
