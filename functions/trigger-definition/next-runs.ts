import { endpoint } from '#lib/api/endpoint.ts';
import { triggerDefinitionRoutes } from '#lib/api/trigger-definition-routes.ts';
import { nextRunsOf } from '#lib/run/schedule/next-runs.ts';

const countDefault = 5;

export const handler = endpoint(triggerDefinitionRoutes.nextRuns, async ({ caller, params, query, at }) => ({
  json: { items: await nextRunsOf(caller, params.trigger_id, query.count ?? countDefault, at) },
}));
