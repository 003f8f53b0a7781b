import { endpoint } from '#lib/http/endpoint.ts';
import { sessionRoutes } from '#lib/routes/session-routes.ts';
import { listSessions } from '#lib/session/list.ts';

export const handler = endpoint(sessionRoutes.listSessions, async ({ caller, headers, at }) => ({
  json: { items: await listSessions(caller, { cookies: headers.cookie, nowMs: Date.parse(at) }) },
}));
