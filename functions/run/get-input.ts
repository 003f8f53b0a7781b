import { endpoint } from '#lib/http/endpoint.ts';
import { runInspectionRoutes } from '#lib/routes/run-inspection-routes.ts';
import { inspectInput } from '#lib/run/input.ts';

export const handler = endpoint(runInspectionRoutes.getRunInput, async ({ caller, params }) => {
  const { run, input } = await inspectInput(caller, params.workflow_id);
  // The header of the run says whose workspace it is, which the audit record names.
  return { json: { workflow_id: run.run_id, input }, workspaceid: run.workspaceid };
});
