import { endpoint } from '#lib/http/endpoint.ts';
import { sessionRoutes } from '#lib/routes/session-routes.ts';
import { endOwnSession } from '#lib/session/end.ts';

export const handler = endpoint(sessionRoutes.endSession, async ({ caller, params }) => {
  await endOwnSession(caller, params.sessionid);
  return { empty: true };
});
