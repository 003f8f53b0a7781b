import { listKeys } from '#lib/access/key/list.ts';
import { accessRoutes } from '#lib/api/access-routes.ts';
import { endpoint } from '#lib/api/endpoint.ts';
import { pageAnswer } from '#lib/api/next-page.ts';

export const handler = endpoint(accessRoutes.listApiKeys, async ({ caller, query }) =>
  pageAnswer(query, await listKeys(caller, query)),
);
