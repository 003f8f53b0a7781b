import { endpoint } from '#lib/http/endpoint.ts';
import { runInspectionRoutes } from '#lib/routes/run-inspection-routes.ts';
import { replayRun } from '#lib/run/replay.ts';
import { newState } from '#lib/run/state.ts';

export const handler = endpoint(runInspectionRoutes.replayRun, async ({ caller, params, body, log }) => {
  const { run_id, workspaceid } = await replayRun(caller, params.workflow_id, body, log);
  const location = `/api/v1/ai/trigger/status/${workspaceid}/${run_id}`;
  return {
    json: { ...newState(run_id), replay_of: params.workflow_id },
    headers: { location },
    workspaceid,
  };
});
