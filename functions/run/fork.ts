import { endpoint } from '#lib/http/endpoint.ts';
import { runForkRoutes } from '#lib/routes/run-fork-routes.ts';
import { forkRun } from '#lib/run/fork.ts';
import { newState } from '#lib/run/state.ts';

export const handler = endpoint(runForkRoutes.forkRun, async ({ caller, params, body, log }) => {
  const { run, execution } = await forkRun(caller, params.workflow_id, body, log);
  const { run_id, workspaceid } = run;
  const location = `/api/v1/ai/trigger/status/${workspaceid}/${run_id}`;
  return {
    json: { ...newState(run_id), fork_of: params.workflow_id, fork_from: execution },
    headers: { location },
    workspaceid,
  };
});
