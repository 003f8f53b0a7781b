import { endpoint } from '#lib/http/endpoint.ts';
import { sessionRoutes } from '#lib/routes/session-routes.ts';
import { describeMe } from '#lib/session/me.ts';

export const handler = endpoint(sessionRoutes.getMe, async ({ caller }) => ({
  json: await describeMe(caller),
}));
