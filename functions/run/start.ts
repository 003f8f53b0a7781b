import { endpoint } from '#lib/api/endpoint.ts';
import { readHeader } from '#lib/api/request-headers.ts';
import { runRoutes } from '#lib/api/run-routes.ts';
import { startBackground } from '#lib/run/start-background.ts';
import { newState } from '#lib/run/state.ts';

export const handler = endpoint(runRoutes.startRun, async ({ caller, params, body, headers }) => {
  const key = readHeader('Idempotency-Key', headers);
  const { run_id, workspaceid } = await startBackground(caller, params, body, key);
  const location = `/api/v1/ai/trigger/status/${workspaceid}/${run_id}`;
  return { json: newState(run_id), headers: { location } };
});
