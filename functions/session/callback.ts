import { pageEndpoint } from '#lib/page/page-endpoint.ts';
import { sessionRoutes } from '#lib/routes/session-routes.ts';
import { finishSignIn } from '#lib/session/callback.ts';
import { signInUrl } from '#lib/session/return-path.ts';

export const handler = pageEndpoint(sessionRoutes.finishSignIn, finishSignIn, signInUrl);
