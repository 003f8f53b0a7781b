import { expectedVersion, rowHeaders } from '#lib/http/conditional.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { wireLiveRow } from '#lib/registry/live/wire-live-row.ts';
import { rollback } from '#lib/registry/rollback.ts';
import { registryPromotionRoutes } from '#lib/routes/registry-promotion-routes.ts';

const route = registryPromotionRoutes.rollBackRegistryRow;

export const handler = endpoint(route, async ({ caller, params, at, requestId, headers }) => {
  const wish = { at, requestId, expectedVersion: expectedVersion(headers) };
  const swapped = await rollback(caller, params.a2aregistryid, wish);
  return { json: wireLiveRow(swapped), headers: rowHeaders(swapped.row) };
});
