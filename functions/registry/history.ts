import { endpoint } from '#lib/http/endpoint.ts';
import { toPage } from '#lib/http/page.ts';
import { history } from '#lib/registry/history/history.ts';
import { registryPromotionRoutes } from '#lib/routes/registry-promotion-routes.ts';

const route = registryPromotionRoutes.getRegistryRowHistory;

export const handler = endpoint(route, async ({ caller, params, query }) => {
  const { workspaceid, ...page } = await history(caller, params.a2aregistryid, query);
  return { ...toPage(query, page), workspaceid };
});
