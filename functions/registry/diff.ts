import { endpoint } from '#lib/http/endpoint.ts';
import { whatWouldChange } from '#lib/registry/diff/what-would-change.ts';
import { registryPromotionRoutes } from '#lib/routes/registry-promotion-routes.ts';

const route = registryPromotionRoutes.diffRegistryRow;

export const handler = endpoint(route, async ({ caller, params, query }) => {
  const { describeReach } = await import('#lib/flow/definition/manifest.ts');
  const against = query.against ?? 'live';
  const { diff, workspaceid } = await whatWouldChange(caller, params.a2aregistryid, against, describeReach);
  return { json: diff, workspaceid };
});
