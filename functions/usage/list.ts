import { endpoint } from '#lib/http/endpoint.ts';
import { toPage } from '#lib/http/page.ts';
import { usageRoutes } from '#lib/routes/usage-routes.ts';
import { readUsage } from '#lib/usage/read.ts';

export const handler = endpoint(usageRoutes.listUsage, async ({ caller, query, at }) =>
  toPage(query, await readUsage(caller, query, at)),
);
