import { endpoint } from '#lib/http/endpoint.ts';
import { runRoutes } from '#lib/routes/run-routes.ts';
import { cancelRun } from '#lib/run/cancel.ts';
import { runState } from '#lib/run/state.ts';

export const handler = endpoint(runRoutes.cancelRun, async ({ caller, params, at }) => ({
  json: runState(await cancelRun(caller, params.workspace_id, params.workflow_id, Date.parse(at))),
}));
