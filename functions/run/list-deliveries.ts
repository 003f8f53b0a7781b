import { deliveryRoutes } from '#lib/api/delivery-routes.ts';
import { endpoint } from '#lib/api/endpoint.ts';
import { ownDeliveries } from '#lib/run/completion/own-deliveries.ts';

export const handler = endpoint(deliveryRoutes.listDeliveries, async ({ caller, params, query, at }) => ({
  json: await ownDeliveries(caller, query.workspaceid, params.workflow_id, Date.parse(at)),
}));
