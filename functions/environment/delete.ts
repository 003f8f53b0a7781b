import { ifMatch } from '#lib/api/conditional.ts';
import { endpoint } from '#lib/api/endpoint.ts';
import { environmentRoutes } from '#lib/api/environment-routes.ts';
import { removeEnvironment } from '#lib/run/environment/remove-environment.ts';

const route = environmentRoutes.deleteEnvironment;

export const handler = endpoint(route, async ({ caller, params, query, headers }) => {
  await removeEnvironment(caller, { ...params, ...query }, ifMatch(headers));
  return { empty: true };
});
