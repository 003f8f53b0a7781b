import { pageEndpoint } from '#lib/page/page-endpoint.ts';
import { sessionRoutes } from '#lib/routes/session-routes.ts';
import { showSession } from '#lib/session/show.ts';

export const handler = pageEndpoint(sessionRoutes.showSession, showSession);
