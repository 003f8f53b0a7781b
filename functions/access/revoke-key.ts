import { revokeKey } from '#lib/access/key/revoke.ts';
import { accessRoutes } from '#lib/api/access-routes.ts';
import { endpoint } from '#lib/api/endpoint.ts';

export const handler = endpoint(accessRoutes.revokeApiKey, async ({ caller, params, at }) => {
  await revokeKey(caller, params.keyid, at);
  return { empty: true };
});
