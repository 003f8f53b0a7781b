import { expectedVersion, rowHeaders } from '#lib/api/conditional.ts';
import { endpoint } from '#lib/api/endpoint.ts';
import { registryRoutes } from '#lib/api/registry-routes.ts';
import { wireLiveRow } from '#lib/registry/live/wire-live-row.ts';
import { promote } from '#lib/registry/promote.ts';

export const handler = endpoint(
  registryRoutes.promoteRegistryRow,
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
