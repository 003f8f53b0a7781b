import { withWarnings } from '#lib/api/checked-row.ts';
import { expectedVersion, rowHeaders } from '#lib/api/conditional.ts';
import { endpoint } from '#lib/api/endpoint.ts';
import { registryRoutes } from '#lib/api/registry-routes.ts';
import { acceptFlow } from '#lib/flow/accept.ts';
import { update } from '#lib/registry/update.ts';
import { wireRow } from '#lib/registry/wire-row.ts';

export const handler = endpoint(
  registryRoutes.updateRegistryRow,
  async ({ caller, params, body, at, requestId, headers }) => {
    const expected = expectedVersion(headers);
    const accepted = body.flow && (await acceptFlow(body.flow));
    const replacement = { body, egress: accepted?.egress, at, requestId, expectedVersion: expected };
    const row = await update(caller, params.a2aregistryid, replacement);
    return { json: withWarnings(wireRow(row), accepted?.warnings), headers: rowHeaders(row) };
  },
);
