import { requireWorkspace } from '#lib/access/caller.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { runRoutes } from '#lib/routes/run-routes.ts';
import { acceptRunEvent } from '#lib/run/send-event.ts';

export const handler = endpoint(runRoutes.sendRunEvent, async ({ caller, query, body, at }) => {
  requireWorkspace(caller, query.workspaceid);
  return { json: await acceptRunEvent({ orgid: caller.orgid, ...query }, body, at) };
});
