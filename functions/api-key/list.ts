import { listKeys } from '#lib/api-key/own-keys.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { toPage } from '#lib/http/page.ts';
import { apiKeyRoutes } from '#lib/routes/api-key-routes.ts';

export const handler = endpoint(apiKeyRoutes.listApiKeys, async ({ caller, query }) =>
  toPage(query, await listKeys(caller, query)),
);
