import { listEnvironments } from '#lib/environment/own-environment.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { toTaggedPage } from '#lib/http/page.ts';
import { environmentRoutes } from '#lib/routes/environment-routes.ts';

const route = environmentRoutes.listEnvironments;

export const handler = endpoint(route, async ({ caller, query, headers }) => {
  const items = await listEnvironments(caller, query.workspaceid);
  return toTaggedPage({ query, headers }, { items });
});
