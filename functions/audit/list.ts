import { readAudit } from '#lib/audit/read.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { pageOf } from '#lib/http/page.ts';
import { accessRoutes } from '#lib/routes/api-key-routes.ts';

export const handler = endpoint(accessRoutes.listAudit, async ({ caller, query, at }) =>
  pageOf(query, await readAudit(caller, query, at)),
);
