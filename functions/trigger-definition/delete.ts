import { ifMatch } from '#lib/api/conditional.ts';
import { endpoint } from '#lib/api/endpoint.ts';
import { triggerDefinitionRoutes } from '#lib/api/trigger-definition-routes.ts';
import { removeTrigger } from '#lib/run/declared-trigger/remove.ts';

const route = triggerDefinitionRoutes.deleteTrigger;

export const handler = endpoint(route, async ({ caller, params, headers }) => {
  await removeTrigger(caller, params.trigger_id, ifMatch(headers));
  return { empty: true };
});
