import { inWorkspace } from '#lib/errors.ts';
import { notModified, rowHeaders } from '#lib/http/conditional.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { openFlow } from '#lib/registry/flow-payload.ts';
import { ownRow } from '#lib/registry/row/own-row.ts';
import { toWireRow } from '#lib/registry/wire-row.ts';
import { registryRoutes } from '#lib/routes/registry-routes.ts';

export const handler = endpoint(registryRoutes.getRegistryRow, async ({ caller, params, query, headers }) => {
  const row = await ownRow(caller, params.a2aregistryid);
  const tag = rowHeaders(row);
  const { workspaceid } = row;
  const known = notModified(headers, tag);
  if (known) return { ...known, workspaceid };
  if (!query.flow) return { json: toWireRow(row), headers: tag, workspaceid };
  const flow = await inWorkspace(row, openFlow(row));
  const { readManifest } = await import('#lib/flow/definition/manifest.ts');
  return { json: { ...toWireRow(row, flow), manifest: readManifest(flow) }, headers: tag, workspaceid };
});
