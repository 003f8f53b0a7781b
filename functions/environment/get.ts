import { getEnvironment, withSinkState } from '#lib/environment/own-environment.ts';
import { etagHeaders, notModified } from '#lib/http/conditional.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { environmentRoutes } from '#lib/routes/environment-routes.ts';

const route = environmentRoutes.getEnvironment;

export const handler = endpoint(route, async ({ caller, params, query, headers }) => {
  const settings = await getEnvironment(caller, { ...params, ...query });
  const tag = etagHeaders(settings);
  if (settings.telemetry) return { json: await withSinkState(settings), headers: tag };
  return notModified(headers, tag) ?? { json: settings, headers: tag };
});
