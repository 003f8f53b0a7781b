// What a run was started with, what its nodes were given and gave, and running it again. Apart from the other routes of
// runs, so that their functions do not load these schemas.
import * as z from 'zod';
import { route, storesRuns } from '#lib/http/route.ts';
import { runId } from '#lib/ids.ts';
import { runInput } from '#lib/run/input.ts';
import { executionId, runExecution } from '#lib/run/kept-execution.ts';
import { replayBody, replayedRun } from '#lib/run/replay.ts';

const inspecting = {
  otherMethods: 'byFunction',
  tag: 'Runs',
  credentials: ['apiKey', 'bearer', 'session'],
  audited: true,
  timeout: 'quick',
  transfer: 'buffered',
} as const;

export const runInspectionRoutes = {
  getRunInput: route({
    ...inspecting,
    method: 'GET',
    permission: 'runs:inspect',
    path: '/api/v1/runs/{workflow_id}/input',
    entry: 'run/get-input',
    summary: 'Read what a run was started with',
    description:
      'The input as the flow sees it, not redacted; each reading leaves an audit record. The input is kept as long as ' +
      'the run. Of a run that the synchronous trigger executed without a pause it is kept only where the setting ' +
      '`keep_values` of the environment says so: otherwise 404 `run_input_not_kept`.',
    params: z.strictObject({ workflow_id: runId }),
    response: { status: 200, description: 'The input.', schema: runInput },
    errors: ['run_not_found', 'event_not_run', 'run_input_not_kept'],
    uses: ['runs.read', 'flowKey.open'],
  }),

  replayRun: route({
    ...inspecting,
    permission: 'assistants.flows:run',
    method: 'POST',
    path: '/api/v1/runs/{workflow_id}/replay',
    entry: 'run/replay',
    summary: 'Run a flow again with what a run was started with',
    description:
      'Starts a new run in the background, whose `replay_of` names this one. Its state is at `Location`. All nodes are ' +
      'executed again, with their effects. The input that was kept is used unless the body has another: that requires ' +
      '`runs:inspect`, and is 404 `run_input_not_kept` where none was kept.',
    params: z.strictObject({ workflow_id: runId }),
    body: replayBody,
    bodyKind: 'trigger',
    response: { status: 202, description: 'The new run, which is pending.', schema: replayedRun },
    errors: [
      'run_not_found',
      'event_not_run',
      'run_input_not_kept',
      'trigger_not_found',
      'pinned_build_gone',
      'budget_exhausted',
      'payload_unreadable',
    ],
    uses: storesRuns,
  }),

  getRunExecution: route({
    ...inspecting,
    method: 'GET',
    permission: 'runs:inspect',
    path: '/api/v1/runs/{workflow_id}/executions/{execution}',
    entry: 'run/get-execution',
    summary: 'Read what the execution of a node was given and what it gave',
    description:
      'Its input, its output or its error, and the prompts and answers of its models; each reading leaves an audit record. ' +
      'What looks like a secret is redacted, as in the log. Values are kept as long as the run, where the setting ' +
      '`keep_values` of the environment said so when the node was executed: otherwise 404 `run_values_not_kept`.',
    params: z.strictObject({ workflow_id: runId, execution: executionId }),
    response: { status: 200, description: 'The execution.', schema: runExecution },
    errors: ['run_not_found', 'event_not_run', 'run_values_not_kept'],
    uses: ['runs.read', 'flowKey.open'],
  }),
} as const;
