import { endpoint } from '#lib/api/endpoint.ts';
import { triggerRoutes } from '#lib/api/trigger-routes.ts';
import { ownRun } from '#lib/run/own-run.ts';
import { runState } from '#lib/run/state.ts';

export const handler = endpoint(triggerRoutes.getRun, async ({ caller, params, at }) => ({
  json: runState(await ownRun(caller, params.workspace_id, params.workflow_id, Date.parse(at))),
}));
