import { revokeKey } from '#lib/api-key/own-keys.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { apiKeyRoutes } from '#lib/routes/api-key-routes.ts';

export const handler = endpoint(apiKeyRoutes.revokeApiKey, async ({ caller, params, at }) => {
  await revokeKey(caller, params.keyid, at);
  return { empty: true };
});
