import { publishedKeys } from '#lib/access/signer.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { accessRoutes } from '#lib/routes/api-key-routes.ts';

export const handler = endpoint(accessRoutes.getJwks, async () => ({
  json: { keys: await publishedKeys() },
  headers: { 'cache-control': 'public, max-age=300' },
}));
