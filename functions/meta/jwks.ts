import { publishedKeys } from '#lib/access/signer.ts';
import { anyOrigin } from '#lib/http/cors.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { metaRoutes } from '#lib/routes/meta-routes.ts';

export const handler = endpoint(metaRoutes.getJwks, async () => ({
  json: { keys: await publishedKeys() },
  headers: { ...anyOrigin, 'cache-control': 'public, max-age=300' },
}));
