import { endpoint } from '#lib/http/endpoint.ts';
import { runRoutes } from '#lib/routes/run-routes.ts';
import { ownRun } from '#lib/run/own-run.ts';
import { resumeRun } from '#lib/run/resume.ts';
import { runState } from '#lib/run/state.ts';

/** Left of the function's time for the answer. */
const answerMs = 2_000;

export const handler = endpoint(runRoutes.resumeRun, async ({ caller, params, body, at, remainingMs }) => {
  const find = () => ownRun(caller, params.workspace_id, params.workflow_id, Date.parse(at));
  await resumeRun(await find(), body, remainingMs() - answerMs);
  return { json: runState(await find()) };
});
