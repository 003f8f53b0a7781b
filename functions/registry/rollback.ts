import { expectedVersion, rowHeaders } from '#lib/http/conditional.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { rollback } from '#lib/registry/rollback.ts';
import { toWireLiveRow } from '#lib/registry/wire-row.ts';
import { registryPromotionRoutes } from '#lib/routes/registry-promotion-routes.ts';

const route = registryPromotionRoutes.rollBackRegistryRow;

export const handler = endpoint(route, async ({ caller, params, at, requestId, headers }) => {
  const options = { at, requestId, expectedVersion: expectedVersion(headers) };
  const change = await rollback(caller, params.a2aregistryid, options);
  const { row } = change;
  return { json: toWireLiveRow(change), headers: rowHeaders(row), workspaceid: row.workspaceid };
});
