// A run that begins in the middle of another. Apart from the other routes of runs, so that their functions do not load
// its schema.
import * as z from 'zod';
import { route, storesRuns } from '#lib/http/route.ts';
import { runId } from '#lib/ids.ts';
import { forkBody, forkedRun } from '#lib/run/fork.ts';

export const runForkRoutes = {
  forkRun: route({
    method: 'POST',
    path: '/api/v1/runs/{workflow_id}/fork',
    otherMethods: 'byFunction',
    tag: 'Runs',
    credentials: ['apiKey', 'bearer', 'session'],
    permission: 'assistants.flows:run',
    entry: 'run/fork',
    audited: true,
    summary: 'Fork a run from a node',
    description:
      'Starts a new run in the background that begins at an execution of this one, with the same input. It has the outputs of the ' +
      'executions before, and the variables that they set, from the values that were kept: nothing before the place is executed or ' +
      'asked again. The new run names this one as `fork_of`, and the place as `fork_from`; its state is at `Location`. Requires ' +
      '`runs:inspect`, too. 404 `run_values_not_kept` or `run_input_not_kept` where the setting `keep_values` of the environment ' +
      'did not keep them; 409 `run_not_forkable` says why the place, the build or a value does not allow it.',
    params: z.strictObject({ workflow_id: runId }),
    body: forkBody,
    bodyKind: 'trigger',
    response: { status: 202, description: 'The new run, which is pending.', schema: forkedRun },
    errors: [
      'run_not_found',
      'event_not_run',
      'run_input_not_kept',
      'run_values_not_kept',
      'run_not_forkable',
      'budget_exhausted',
      'trigger_not_found',
      'pinned_build_gone',
      'payload_unreadable',
    ],
    uses: storesRuns,
    timeout: 'quick',
    transfer: 'buffered',
  }),
} as const;
