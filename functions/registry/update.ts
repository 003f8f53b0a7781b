import { endpoint } from '#lib/api/endpoint.ts';
import { registryRoutes } from '#lib/api/registry-routes.ts';
import { acceptFlow } from '#lib/flow/accept.ts';
import { update } from '#lib/registry/update.ts';
import { wireRow } from '#lib/registry/wire-row.ts';

export const handler = endpoint(
  registryRoutes.updateRegistryRow,
  async ({ caller, params, body, at, requestId }) => {
    const egress = body.flow && (await acceptFlow(body.flow)).egress;
    return { json: wireRow(await update(caller, params.a2aregistryid, { body, egress, at, requestId })) };
  },
);
