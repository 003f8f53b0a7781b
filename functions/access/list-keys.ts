import { listKeys } from '#lib/access/key/list.ts';
import { accessRoutes } from '#lib/api/access-routes.ts';
import { endpoint } from '#lib/api/endpoint.ts';
import { pageOf } from '#lib/api/page.ts';

export const handler = endpoint(accessRoutes.listApiKeys, async ({ caller, query }) =>
  pageOf(query, await listKeys(caller, query)),
);
