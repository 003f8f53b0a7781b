import { acceptFlow } from '#lib/flow/check/accept-flow.ts';
import { rowHeaders } from '#lib/http/conditional.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { readHeader } from '#lib/http/request-headers.ts';
import { create } from '#lib/registry/create.ts';
import { toWireRow } from '#lib/registry/wire-row.ts';
import { withWarnings } from '#lib/routes/checked-row.ts';
import { findRegistrationWarnings } from '#lib/routes/registration-warnings.ts';
import { registryRoutes } from '#lib/routes/registry-routes.ts';

export const handler = endpoint(
  registryRoutes.createRegistryRow,
  async ({ caller, query, body, at, requestId, headers, log }) => {
    const key = readHeader('Idempotency-Key', headers);
    const { flow, egress, warnings } = await acceptFlow(body.flow);
    const place = { workspaceid: query.workspaceid, at, requestId };
    const registration = { ...place, body, egress, idempotencyKey: key };
    const row = await create(caller, registration);
    const all = [...warnings, ...(await findRegistrationWarnings(row, flow, log))];
    const location = `/api/v1/a2a-registry/${row.a2aregistryid}`;
    return { json: withWarnings(toWireRow(row), all), headers: { ...rowHeaders(row), location } };
  },
  { loadYaml: () => import('#lib/http/yaml-body.ts') },
);
