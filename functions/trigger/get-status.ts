import { notModified } from '#lib/api/conditional.ts';
import { streamEndpoint } from '#lib/api/endpoint.ts';
import { isKnownTo, stateHeaders } from '#lib/api/run-headers.ts';
import { triggerRoutes } from '#lib/api/trigger-routes.ts';
import { runState } from '#lib/run/state.ts';
import { waitForRun } from '#lib/run/wait-for-run.ts';

/** Left of the function's time for the answer. */
const answerMs = 2_000;

// Streamed, because a response of 4 MB may be more than the 6 MB of a buffered answer, once it is JSON in JSON.
export const { handler, buffered } = streamEndpoint(
  triggerRoutes.getRun,
  async ({ caller, params, query, headers, remainingMs }) => {
    const ms = Math.min((query.wait ?? 0) * 1_000, remainingMs() - answerMs);
    const wait = { ms, isKnown: isKnownTo(headers) };
    const view = await waitForRun(caller, params.workspace_id, params.workflow_id, wait);
    const tag = stateHeaders(view);
    return notModified(headers, tag) ?? { json: runState(view), headers: tag };
  },
);
