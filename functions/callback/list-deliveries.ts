import { listDeliveries } from '#lib/callback/list-deliveries.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { callbackRoutes } from '#lib/routes/callback-routes.ts';

export const handler = endpoint(callbackRoutes.listDeliveries, async ({ caller, params, query, at }) => ({
  json: await listDeliveries(caller, query.workspaceid, params.workflow_id, Date.parse(at)),
}));
