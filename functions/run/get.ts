import { streamEndpoint } from '#lib/http/endpoint.ts';
import { runRoutes } from '#lib/routes/run-routes.ts';
import { toDetail } from '#lib/run/detail.ts';
import { ownRunById } from '#lib/run/own-run.ts';

// Streamed: a response of 4 MB may exceed the 6 MB of a buffered answer, which is JSON in JSON.
export const { handler, buffered } = streamEndpoint(
  runRoutes.getRunDetail,
  async ({ caller, params, at }) => ({
    json: toDetail(await ownRunById(caller, params.workflow_id, Date.parse(at))),
  }),
);
