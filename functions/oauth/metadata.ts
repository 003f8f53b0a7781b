import { anyOrigin } from '#lib/http/cors.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { describeServer } from '#lib/oauth/metadata.ts';
import { oauthRoutes } from '#lib/routes/oauth-routes.ts';

export const handler = endpoint(oauthRoutes.getAuthorizationServerMetadata, async () => ({
  json: describeServer(),
  headers: { ...anyOrigin, 'cache-control': 'public, max-age=300' },
}));
