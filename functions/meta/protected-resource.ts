import { describeResource } from '#lib/access/protected-resource.ts';
import { anyOrigin } from '#lib/http/cors.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { metaRoutes } from '#lib/routes/meta-routes.ts';

export const handler = endpoint(metaRoutes.getProtectedResource, async ({ address }) => ({
  json: describeResource(address === 'connector' ? 'connector' : 'api'),
  headers: { 'cache-control': 'public, max-age=300', ...anyOrigin },
}));
