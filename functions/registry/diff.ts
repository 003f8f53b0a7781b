import { endpoint } from '#lib/http/endpoint.ts';
import { whatWouldChange } from '#lib/registry/diff/what-would-change.ts';
import { registryPromotionRoutes } from '#lib/routes/registry-promotion-routes.ts';

const route = registryPromotionRoutes.diffRegistryRow;

export const handler = endpoint(route, async ({ caller, params, query }) => {
  const { reachesOf } = await import('#lib/flow/definition/manifest.ts');
  return { json: await whatWouldChange(caller, params.a2aregistryid, query.against ?? 'live', reachesOf) };
});
