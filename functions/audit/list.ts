import { readAudit } from '#lib/audit/read.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { toPage } from '#lib/http/page.ts';
import { auditRoutes } from '#lib/routes/audit-routes.ts';

export const handler = endpoint(auditRoutes.listAudit, async ({ caller, query, at }) =>
  toPage(query, await readAudit(caller, query, at)),
);
