import { etagHeaders, notModified } from '#lib/http/conditional.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { declaredTriggerRoutes } from '#lib/routes/declared-trigger-routes.ts';
import { ownTrigger } from '#lib/trigger/own-trigger.ts';
import { toWireTrigger } from '#lib/trigger/wire-trigger.ts';

export const handler = endpoint(declaredTriggerRoutes.getTrigger, async ({ caller, params, headers }) => {
  const trigger = await ownTrigger(caller, params.trigger_id);
  const tag = etagHeaders(trigger);
  const answer = notModified(headers, tag) ?? { json: toWireTrigger(trigger, caller), headers: tag };
  return { ...answer, workspaceid: trigger.workspaceid };
});
