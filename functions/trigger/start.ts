import { findCallbackWarnings } from '#lib/callback/callback-warning.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { readIncomingTrace } from '#lib/http/incoming-trace.ts';
import { readHeader } from '#lib/http/request-headers.ts';
import { triggerRoutes } from '#lib/routes/trigger-routes.ts';
import { newState } from '#lib/run/state.ts';
import { startBackground } from '#lib/trigger/start-background.ts';

export const handler = endpoint(triggerRoutes.startRun, async ({ caller, params, body, headers, at }) => {
  const idempotencyKey = readHeader('Idempotency-Key', headers);
  const trace = await readIncomingTrace(headers);
  const run = await startBackground(caller, params, body, { idempotencyKey, trace });
  const { run_id, workspaceid, callback_url } = run;
  const location = `/api/v1/ai/trigger/status/${workspaceid}/${run_id}`;
  const asking = body.callback_url === undefined ? '/path/trigger_id' : '/body/callback_url';
  const pointer = callback_url === undefined ? undefined : asking;
  const warned = await findCallbackWarnings(caller, { workspaceid, pointer, at });
  return { json: { ...newState(run_id), ...warned }, headers: { location } };
});
