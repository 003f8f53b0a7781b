import { ifMatch } from '#lib/http/conditional.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { declaredTriggerRoutes } from '#lib/routes/declared-trigger-routes.ts';
import { removeTrigger } from '#lib/trigger/delete.ts';

const route = declaredTriggerRoutes.deleteTrigger;

export const handler = endpoint(route, async ({ caller, params, headers }) => {
  await removeTrigger(caller, params.trigger_id, ifMatch(headers));
  return { empty: true };
});
