import { pageEndpoint } from '#lib/page/page-endpoint.ts';
import { sessionRoutes } from '#lib/routes/session-routes.ts';
import { finishSignIn, tryAgainUrl } from '#lib/session/callback.ts';

export const handler = pageEndpoint(sessionRoutes.finishSignIn, finishSignIn, tryAgainUrl);
