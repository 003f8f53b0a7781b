import { streamEndpoint } from '#lib/http/endpoint.ts';
import { runTestRoutes } from '#lib/routes/run-test-routes.ts';
import { saveAsTest } from '#lib/run/saved-test.ts';

// Streamed: a test has up to the 4 MB of values that a run keeps.
export const { handler, buffered } = streamEndpoint(
  runTestRoutes.getRunTest,
  async ({ caller, params, query }) => {
    const { run, test } = await saveAsTest(caller, params.workflow_id, query.name);
    return { json: test, workspaceid: run.workspaceid };
  },
);
