import { editionHeaders } from '#lib/api/conditional.ts';
import { endpoint } from '#lib/api/endpoint.ts';
import { readHeader } from '#lib/api/request-headers.ts';
import { triggerDefinitionRoutes } from '#lib/api/trigger-definition-routes.ts';
import { warningsOf } from '#lib/run/completion/callback-warning.ts';
import { createTrigger } from '#lib/run/declared-trigger/create.ts';
import { wireTrigger } from '#lib/run/declared-trigger/wire-trigger.ts';

const route = triggerDefinitionRoutes.createTrigger;

export const handler = endpoint(route, async ({ caller, query, body, at, headers }) => {
  const idempotencyKey = readHeader('Idempotency-Key', headers);
  const trigger = await createTrigger(caller, { ...query, body, at, idempotencyKey });
  const location = `/api/v1/triggers/${trigger.trigger_id}`;
  const pointer = body.callback_url === undefined ? undefined : '/body/callback_url';
  const warned = await warningsOf(caller, { workspaceid: trigger.workspaceid, pointer, at });
  return { json: { ...wireTrigger(trigger), ...warned }, headers: { ...editionHeaders(trigger), location } };
});
