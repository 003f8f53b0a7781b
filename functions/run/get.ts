import { streamEndpoint } from '#lib/http/endpoint.ts';
import { runRoutes } from '#lib/routes/run-routes.ts';
import { detailOf } from '#lib/run/detail.ts';
import { ownRunById } from '#lib/run/own-run.ts';

// Streamed, because a response of 4 MB may be more than the 6 MB of a buffered answer, once it is JSON in JSON.
export const { handler, buffered } = streamEndpoint(
  runRoutes.getRunDetail,
  async ({ caller, params, at }) => ({
    json: detailOf(await ownRunById(caller, params.workflow_id, Date.parse(at))),
  }),
);
