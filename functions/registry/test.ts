import { endpoint } from '#lib/http/endpoint.ts';
import { registryHistoryRoutes } from '#lib/routes/registry-history-routes.ts';
import { testBuild } from '#lib/run/test-build.ts';

const route = registryHistoryRoutes.testRegistryRow;

export const handler = endpoint(route, async ({ caller, params }) => ({
  json: await testBuild(caller, params.a2aregistryid),
}));
