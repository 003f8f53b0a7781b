import { endpoint } from '#lib/api/endpoint.ts';
import { pageOf } from '#lib/api/page.ts';
import { runRoutes } from '#lib/api/run-routes.ts';
import { listRuns } from '#lib/run/list/list-runs.ts';

export const handler = endpoint(runRoutes.listRuns, async ({ caller, query, at }) =>
  pageOf(query, await listRuns(caller, query, Date.parse(at))),
);
