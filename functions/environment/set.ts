import { editionHeaders, ifMatch } from '#lib/api/conditional.ts';
import { endpoint } from '#lib/api/endpoint.ts';
import { environmentRoutes } from '#lib/api/environment-routes.ts';
import { setEnvironment } from '#lib/run/environment/set-environment.ts';

const route = environmentRoutes.setEnvironment;

export const handler = endpoint(route, async ({ caller, params, query, body, at, headers }) => {
  const setting = { ...params, ...query, body, at, ifMatch: ifMatch(headers) };
  const settings = await setEnvironment(caller, setting);
  return { json: settings, headers: editionHeaders(settings) };
});
