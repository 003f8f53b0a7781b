import { expectedVersion, rowHeaders } from '#lib/http/conditional.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { wireLiveRow } from '#lib/registry/live/wire-live-row.ts';
import { promote } from '#lib/registry/promote.ts';
import { registryPromotionRoutes } from '#lib/routes/registry-promotion-routes.ts';

export const handler = endpoint(
  registryPromotionRoutes.promoteRegistryRow,
  async ({ caller, params, query, at, requestId, headers }) => {
    const wish = {
      at,
      requestId,
      expectedLive: query.expected_live,
      expectedVersion: expectedVersion(headers),
    };
    const swapped = await promote(caller, params.a2aregistryid, wish);
    return { json: wireLiveRow(swapped), headers: rowHeaders(swapped.row) };
  },
);
