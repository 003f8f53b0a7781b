import { endpoint } from '#lib/http/endpoint.ts';
import { environmentRoutes } from '#lib/routes/environment-routes.ts';
import { trySink } from '#lib/telemetry/try-sink.ts';

const route = environmentRoutes.tryTelemetry;

export const handler = endpoint(route, async ({ caller, params, query, body }) => ({
  json: await trySink(caller, { ...params, ...query, body }),
}));
