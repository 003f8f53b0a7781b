import { endpoint } from '#lib/http/endpoint.ts';
import { runRoutes } from '#lib/routes/run-routes.ts';
import { summarizeRuns } from '#lib/run/summarize.ts';

export const handler = endpoint(runRoutes.summarizeRuns, async ({ caller, query, at }) => ({
  json: await summarizeRuns(caller, query, Date.parse(at)),
}));
