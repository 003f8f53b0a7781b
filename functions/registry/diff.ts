import { endpoint } from '#lib/api/endpoint.ts';
import { registryHistoryRoutes } from '#lib/api/registry-history-routes.ts';
import { whatWouldChange } from '#lib/registry/diff/what-would-change.ts';

const route = registryHistoryRoutes.diffRegistryRow;

export const handler = endpoint(route, async ({ caller, params, query }) => {
  const { reachesOf } = await import('#lib/flow/manifest.ts');
  return { json: await whatWouldChange(caller, params.a2aregistryid, query.against ?? 'live', reachesOf) };
});
