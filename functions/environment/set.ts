import { setEnvironment } from '#lib/environment/own-environment.ts';
import { etagHeaders, ifMatch } from '#lib/http/conditional.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { environmentRoutes } from '#lib/routes/environment-routes.ts';

const route = environmentRoutes.setEnvironment;

export const handler = endpoint(route, async ({ caller, params, query, body, at, headers }) => {
  const setting = { ...params, ...query, body, at, ifMatch: ifMatch(headers) };
  const settings = await setEnvironment(caller, setting);
  return { json: settings, headers: etagHeaders(settings) };
});
