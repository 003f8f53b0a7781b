import { editionHeaders, ifMatch } from '#lib/api/conditional.ts';
import { endpoint } from '#lib/api/endpoint.ts';
import { triggerDefinitionRoutes } from '#lib/api/trigger-definition-routes.ts';
import { warningsOf } from '#lib/run/completion/callback-warning.ts';
import { updateTrigger } from '#lib/run/declared-trigger/update.ts';
import { wireTrigger } from '#lib/run/declared-trigger/wire-trigger.ts';

const route = triggerDefinitionRoutes.updateTrigger;

export const handler = endpoint(route, async ({ caller, params, body, at, headers }) => {
  const replacement = { body, at, ifMatch: ifMatch(headers) };
  const trigger = await updateTrigger(caller, params.trigger_id, replacement);
  const pointer = body.callback_url === undefined ? undefined : '/body/callback_url';
  const warned = await warningsOf(caller, { workspaceid: trigger.workspaceid, pointer, at });
  return { json: { ...wireTrigger(trigger), ...warned }, headers: editionHeaders(trigger) };
});
