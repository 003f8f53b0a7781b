import { endpoint } from '#lib/api/endpoint.ts';
import { environmentRoutes } from '#lib/api/environment-routes.ts';
import { taggedPage } from '#lib/api/page.ts';
import { listEnvironments } from '#lib/run/environment/own-environment.ts';

const route = environmentRoutes.listEnvironments;

export const handler = endpoint(route, async ({ caller, query, headers }) => {
  const items = await listEnvironments(caller, query.workspaceid);
  return taggedPage({ query, headers }, { items });
});
