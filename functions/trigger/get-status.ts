import { readLetterState } from '#lib/dead-letter/letter-state.ts';
import { ServiceError } from '#lib/errors.ts';
import { digestHeaders, notModified } from '#lib/http/conditional.ts';
import { streamEndpoint } from '#lib/http/endpoint.ts';
import { triggerRoutes } from '#lib/routes/trigger-routes.ts';
import { runNotFound } from '#lib/run/own-run.ts';
import { isKnownTo, stateHeaders } from '#lib/run/run-headers.ts';
import { runState } from '#lib/run/state.ts';
import { waitForRun } from '#lib/run/wait-for-run.ts';

/** Left of the function's time for the answer. */
const answerMs = 2_000;

// Streamed: a response of 4 MB may exceed the 6 MB of a buffered answer, which is JSON in JSON.
export const { handler, buffered } = streamEndpoint(
  triggerRoutes.getRun,
  async ({ params, query, headers, ...request }) => {
    const ms = Math.min((query.wait ?? 0) * 1_000, request.remainingMs() - answerMs);
    const wait = { ms, isKnown: isKnownTo(headers) };
    const { workspace_id: workspaceid, workflow_id: id } = params;
    const view = await waitForRun(request, workspaceid, id, wait);
    if (ms > 0 && !(await request.isAdmitted())) throw new ServiceError('unauthenticated');
    const state = view
      ? runState(view)
      : await readLetterState({ orgid: request.caller.orgid, workspaceid }, id);
    if (!state) throw runNotFound();
    const tag = view ? stateHeaders(view) : digestHeaders(JSON.stringify(state));
    return notModified(headers, tag) ?? { json: state, headers: tag };
  },
);
