import { endpoint } from '#lib/http/endpoint.ts';
import { declaredTriggerRoutes } from '#lib/routes/declared-trigger-routes.ts';
import { nextRunsOf } from '#lib/trigger/next-runs.ts';

const countDefault = 5;

export const handler = endpoint(declaredTriggerRoutes.nextRuns, async ({ caller, params, query, at }) => ({
  json: { items: await nextRunsOf(caller, params.trigger_id, query.count ?? countDefault, at) },
}));
