import { readAudit } from '#lib/access/audit/read.ts';
import { accessRoutes } from '#lib/api/access-routes.ts';
import { endpoint } from '#lib/api/endpoint.ts';
import { pageOf } from '#lib/api/page.ts';

export const handler = endpoint(accessRoutes.listAudit, async ({ caller, query, at }) =>
  pageOf(query, await readAudit(caller, query, at)),
);
