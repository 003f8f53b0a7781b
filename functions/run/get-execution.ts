import { endpoint } from '#lib/http/endpoint.ts';
import { runInspectionRoutes } from '#lib/routes/run-inspection-routes.ts';
import { inspectExecution } from '#lib/run/executions.ts';

export const handler = endpoint(runInspectionRoutes.getRunExecution, async ({ caller, params }) => {
  const { run, execution } = await inspectExecution(caller, params.workflow_id, params.execution);
  // The header of the run says whose workspace it is, which the audit record names.
  return { json: { workflow_id: run.run_id, ...execution }, workspaceid: run.workspaceid };
});
