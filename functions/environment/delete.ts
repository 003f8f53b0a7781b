import { removeEnvironment } from '#lib/environment/own-environment.ts';
import { ifMatch } from '#lib/http/conditional.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { environmentRoutes } from '#lib/routes/environment-routes.ts';

const route = environmentRoutes.deleteEnvironment;

export const handler = endpoint(route, async ({ caller, params, query, headers }) => {
  await removeEnvironment(caller, { ...params, ...query }, ifMatch(headers));
  return { empty: true };
});
