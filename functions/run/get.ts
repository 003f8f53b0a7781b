import { endpoint } from '#lib/api/endpoint.ts';
import { runRoutes } from '#lib/api/run-routes.ts';
import { detailOf } from '#lib/run/detail.ts';
import { ownRunById } from '#lib/run/own-run.ts';

export const handler = endpoint(runRoutes.getRunDetail, async ({ caller, params, at }) => ({
  json: detailOf(await ownRunById(caller, params.workflow_id, Date.parse(at))),
}));
