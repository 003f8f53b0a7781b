import { expectedVersion } from '#lib/http/conditional.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { deleteRow } from '#lib/registry/delete.ts';
import { registryRoutes } from '#lib/routes/registry-routes.ts';

export const handler = endpoint(
  registryRoutes.deleteRegistryRow,
  async ({ caller, params, at, requestId, headers }) => {
    const options = { at, requestId, expectedVersion: expectedVersion(headers) };
    const { workspaceid } = await deleteRow(caller, params.a2aregistryid, options);
    return { empty: true, workspaceid };
  },
);
