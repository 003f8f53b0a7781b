import { endpoint } from '#lib/http/endpoint.ts';
import { toPage } from '#lib/http/page.ts';
import { runRoutes } from '#lib/routes/run-routes.ts';
import { listRuns } from '#lib/run/list.ts';

export const handler = endpoint(runRoutes.listRuns, async ({ caller, query, at }) =>
  toPage(query, await listRuns(caller, query, Date.parse(at))),
);
