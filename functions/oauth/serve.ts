import { oauthEndpoint } from '#lib/oauth/oauth-endpoint.ts';
import { serve } from '#lib/oauth/serve.ts';
import { oauthRoutes } from '#lib/routes/oauth-routes.ts';

export const handler = oauthEndpoint(oauthRoutes.issueToken, serve);
