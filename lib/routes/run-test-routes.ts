// A run as a test of its flow. Apart from the other routes of runs, so that their functions do not load its schema.
import * as z from 'zod';
import { route, showsRuns } from '#lib/http/route.ts';
import { runId } from '#lib/ids.ts';
import { savedTest } from '#lib/run/write-test.ts';

export const runTestRoutes = {
  getRunTest: route({
    method: 'GET',
    path: '/api/v1/runs/{workflow_id}/test',
    otherMethods: 'byFunction',
    tag: 'Runs',
    credentials: ['apiKey', 'bearer', 'session'],
    permission: 'runs:inspect',
    entry: 'run/get-test',
    audited: true,
    summary: 'Save a run as a test of its flow',
    description:
      'An entry for `tests` of the flow that passes with the build of the run: its input, what its nodes got from outside as ' +
      '`mocks`, `answers` and `events`, and how it ended as `expect`. What looks like a secret is redacted, and each reading ' +
      'leaves an audit record. It is made of the values that were kept of the run: otherwise 404 `run_values_not_kept` or ' +
      '`run_input_not_kept`. 409 `run_not_testable` says why no test would repeat the run.',
    params: z.strictObject({ workflow_id: runId }),
    query: z.strictObject({
      name: z
        .string()
        .min(1)
        .max(200)
        .optional()
        .meta({ description: 'Name of the test. By default it has the id of the run.' }),
    }),
    response: { status: 200, description: 'The test.', schema: savedTest },
    errors: [
      'run_not_found',
      'event_not_run',
      'run_not_testable',
      'run_input_not_kept',
      'run_values_not_kept',
      'payload_unreadable',
    ],
    uses: [...showsRuns, 'control.read', 'flowKey.open'],
    timeout: 'quick',
    transfer: 'stream',
  }),
} as const;
