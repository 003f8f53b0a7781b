import { findCallbackWarnings } from '#lib/callback/callback-warning.ts';
import { etagHeaders } from '#lib/http/conditional.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { readHeader } from '#lib/http/request-headers.ts';
import { declaredTriggerRoutes } from '#lib/routes/declared-trigger-routes.ts';
import { createTrigger } from '#lib/trigger/create.ts';
import { toWireTrigger } from '#lib/trigger/wire-trigger.ts';

const route = declaredTriggerRoutes.createTrigger;

export const handler = endpoint(route, async ({ caller, query, body, at, headers }) => {
  const idempotencyKey = readHeader('Idempotency-Key', headers);
  const trigger = await createTrigger(caller, { ...query, body, at, idempotencyKey });
  const location = `/api/v1/triggers/${trigger.trigger_id}`;
  const pointer = body.callback_url === undefined ? undefined : '/body/callback_url';
  const warned = await findCallbackWarnings(caller, { workspaceid: trigger.workspaceid, pointer, at });
  return {
    json: { ...toWireTrigger(trigger, caller), ...warned },
    headers: { ...etagHeaders(trigger), location },
  };
});
