import { editionHeaders, notModified } from '#lib/api/conditional.ts';
import { endpoint } from '#lib/api/endpoint.ts';
import { environmentRoutes } from '#lib/api/environment-routes.ts';
import { ownEnvironment } from '#lib/run/environment/own-environment.ts';

const route = environmentRoutes.getEnvironment;

export const handler = endpoint(route, async ({ caller, params, query, headers }) => {
  const settings = await ownEnvironment(caller, { ...params, ...query });
  const tag = editionHeaders(settings);
  return notModified(headers, tag) ?? { json: settings, headers: tag };
});
