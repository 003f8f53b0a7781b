import { endpoint } from '#lib/api/endpoint.ts';
import { readHeader } from '#lib/api/request-headers.ts';
import { runRoutes } from '#lib/api/run-routes.ts';
import { warningsOf } from '#lib/run/completion/callback-warning.ts';
import { startBackground } from '#lib/run/start-background.ts';
import { newState } from '#lib/run/state.ts';

export const handler = endpoint(runRoutes.startRun, async ({ caller, params, body, headers, at }) => {
  const key = readHeader('Idempotency-Key', headers);
  const { run_id, workspaceid, callback_url } = await startBackground(caller, params, body, key);
  const location = `/api/v1/ai/trigger/status/${workspaceid}/${run_id}`;
  const asking = body.callback_url === undefined ? '/path/trigger_id' : '/body/callback_url';
  const pointer = callback_url === undefined ? undefined : asking;
  const warned = await warningsOf(caller, { workspaceid, pointer, at });
  return { json: { ...newState(run_id), ...warned }, headers: { location } };
});
