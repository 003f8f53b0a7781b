import { createKey } from '#lib/access/key/create.ts';
import { accessRoutes } from '#lib/api/access-routes.ts';
import { endpoint } from '#lib/api/endpoint.ts';

export const handler = endpoint(accessRoutes.createApiKey, async ({ caller, body, at }) => {
  const json = await createKey(caller, body, at);
  return { json, headers: { location: `/api/v1/api-keys/${json.keyid}` } };
});
