import { editionHeaders, notModified } from '#lib/api/conditional.ts';
import { endpoint } from '#lib/api/endpoint.ts';
import { triggerDefinitionRoutes } from '#lib/api/trigger-definition-routes.ts';
import { ownTrigger } from '#lib/run/declared-trigger/own-trigger.ts';
import { wireTrigger } from '#lib/run/declared-trigger/wire-trigger.ts';

export const handler = endpoint(triggerDefinitionRoutes.getTrigger, async ({ caller, params, headers }) => {
  const trigger = await ownTrigger(caller, params.trigger_id);
  const tag = editionHeaders(trigger);
  return notModified(headers, tag) ?? { json: wireTrigger(trigger), headers: tag };
});
