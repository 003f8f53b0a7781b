import { expectedEdition } from '#lib/api/conditional.ts';
import { endpoint } from '#lib/api/endpoint.ts';
import { triggerDefinitionRoutes } from '#lib/api/trigger-definition-routes.ts';
import { removeTrigger } from '#lib/run/declared-trigger/remove.ts';

const route = triggerDefinitionRoutes.deleteTrigger;

export const handler = endpoint(route, async ({ caller, params, headers }) => {
  await removeTrigger(caller, params.trigger_id, expectedEdition(headers));
  return { empty: true };
});
