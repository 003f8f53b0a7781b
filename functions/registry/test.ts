import { endpoint } from '#lib/http/endpoint.ts';
import { registryPromotionRoutes } from '#lib/routes/registry-promotion-routes.ts';
import { testBuild } from '#lib/run/test-build.ts';

const route = registryPromotionRoutes.testRegistryRow;

export const handler = endpoint(route, async ({ caller, params }) => {
  const { report, workspaceid } = await testBuild(caller, params.a2aregistryid);
  return { json: report, workspaceid };
});
