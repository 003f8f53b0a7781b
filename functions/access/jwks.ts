import { publishedKeys } from '#lib/access/signer.ts';
import { accessRoutes } from '#lib/api/access-routes.ts';
import { endpoint } from '#lib/api/endpoint.ts';

export const handler = endpoint(accessRoutes.getJwks, async () => ({
  json: { keys: await publishedKeys() },
  headers: { 'cache-control': 'public, max-age=300' },
}));
