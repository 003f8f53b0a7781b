import { createKey } from '#lib/api-key/create.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { apiKeyRoutes } from '#lib/routes/api-key-routes.ts';

export const handler = endpoint(apiKeyRoutes.createApiKey, async ({ caller, body, at }) => {
  const json = await createKey(caller, body, at);
  return { json, headers: { location: `/api/v1/api-keys/${json.keyid}` } };
});
