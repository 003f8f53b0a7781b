import { editionHeaders, ifMatch } from '#lib/api/conditional.ts';
import { endpoint } from '#lib/api/endpoint.ts';
import { triggerDefinitionRoutes } from '#lib/api/trigger-definition-routes.ts';
import { updateTrigger } from '#lib/run/declared-trigger/update.ts';
import { wireTrigger } from '#lib/run/declared-trigger/wire-trigger.ts';

const route = triggerDefinitionRoutes.updateTrigger;

export const handler = endpoint(route, async ({ caller, params, body, at, headers }) => {
  const replacement = { body, at, ifMatch: ifMatch(headers) };
  const trigger = await updateTrigger(caller, params.trigger_id, replacement);
  return { json: wireTrigger(trigger), headers: editionHeaders(trigger) };
});
