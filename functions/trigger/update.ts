import { findCallbackWarnings } from '#lib/callback/callback-warning.ts';
import { inWorkspace } from '#lib/errors.ts';
import { etagHeaders, ifMatch } from '#lib/http/conditional.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { declaredTriggerRoutes } from '#lib/routes/declared-trigger-routes.ts';
import { updateTrigger } from '#lib/trigger/update.ts';
import { toWireTrigger } from '#lib/trigger/wire-trigger.ts';

const route = declaredTriggerRoutes.updateTrigger;

export const handler = endpoint(route, async ({ caller, params, body, at, headers }) => {
  const replacement = { body, at, ifMatch: ifMatch(headers) };
  const trigger = await updateTrigger(caller, params.trigger_id, replacement);
  const pointer = body.callback_url === undefined ? undefined : '/body/callback_url';
  const { workspaceid } = trigger;
  const warned = await inWorkspace(trigger, findCallbackWarnings(caller, { workspaceid, pointer, at }));
  return {
    json: { ...toWireTrigger(trigger, caller), ...warned },
    headers: etagHeaders(trigger),
    workspaceid,
  };
});
