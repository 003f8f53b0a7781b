import { pageEndpoint } from '#lib/page/page-endpoint.ts';
import { sessionRoutes } from '#lib/routes/session-routes.ts';
import { beginSignIn } from '#lib/session/login.ts';

export const handler = pageEndpoint(sessionRoutes.beginSignIn, beginSignIn);
