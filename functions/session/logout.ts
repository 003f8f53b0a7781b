import { pageEndpoint } from '#lib/page/page-endpoint.ts';
import { sessionRoutes } from '#lib/routes/session-routes.ts';
import { signOut } from '#lib/session/logout.ts';

export const handler = pageEndpoint(sessionRoutes.signOut, signOut);
