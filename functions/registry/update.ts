import { acceptFlow } from '#lib/flow/check/accept-flow.ts';
import { expectedVersion, rowHeaders } from '#lib/http/conditional.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { update } from '#lib/registry/update.ts';
import { toWireRow } from '#lib/registry/wire-row.ts';
import { withWarnings } from '#lib/routes/checked-row.ts';
import { findRegistrationWarnings } from '#lib/routes/registration-warnings.ts';
import { registryRoutes } from '#lib/routes/registry-routes.ts';

export const handler = endpoint(
  registryRoutes.updateRegistryRow,
  async ({ caller, params, body, at, requestId, headers, log }) => {
    const expected = expectedVersion(headers);
    const accepted = body.flow && (await acceptFlow(body.flow));
    const replacement = { body, egress: accepted?.egress, at, requestId, expectedVersion: expected };
    const row = await update(caller, params.a2aregistryid, replacement);
    const { workspaceid } = row;
    const more = accepted && (await findRegistrationWarnings(row, accepted.flow, log));
    const found = [...(accepted?.warnings ?? []), ...(more ?? [])];
    return { json: withWarnings(toWireRow(row), found), headers: rowHeaders(row), workspaceid };
  },
  { loadYaml: () => import('#lib/http/yaml-body.ts') },
);
