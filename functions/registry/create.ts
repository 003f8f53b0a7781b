import { endpoint } from '#lib/api/endpoint.ts';
import { registryRoutes } from '#lib/api/registry-routes.ts';
import { acceptFlow } from '#lib/flow/accept.ts';
import { create } from '#lib/registry/create.ts';
import { wireRow } from '#lib/registry/wire-row.ts';

export const handler = endpoint(
  registryRoutes.createRegistryRow,
  async ({ caller, query, body, at, requestId }) => {
    const { egress } = await acceptFlow(body.flow);
    const row = await create(caller, { body, workspaceid: query.workspaceid, egress, at, requestId });
    return { json: wireRow(row), headers: { location: `/api/v1/a2a-registry/${row.a2aregistryid}` } };
  },
);
