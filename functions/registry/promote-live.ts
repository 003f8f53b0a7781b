import { expectedVersion, rowHeaders } from '#lib/http/conditional.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { promote } from '#lib/registry/promote.ts';
import { toWireLiveRow } from '#lib/registry/wire-row.ts';
import { registryPromotionRoutes } from '#lib/routes/registry-promotion-routes.ts';

export const handler = endpoint(
  registryPromotionRoutes.promoteRegistryRow,
  async ({ caller, params, query, at, requestId, headers }) => {
    const options = {
      at,
      requestId,
      expectedLive: query.expected_live,
      expectedVersion: expectedVersion(headers),
    };
    const change = await promote(caller, params.a2aregistryid, options);
    const { row } = change;
    return { json: toWireLiveRow(change), headers: rowHeaders(row), workspaceid: row.workspaceid };
  },
);
