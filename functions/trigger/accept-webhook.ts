import { endpoint } from '#lib/api/endpoint.ts';
import { sentEvent } from '#lib/api/sent-event.ts';
import { triggerRoutes } from '#lib/api/trigger-routes.ts';
import { acceptEvent } from '#lib/run/accept-event.ts';

export const handler = endpoint(
  triggerRoutes.acceptWebhook,
  async ({ caller, params, at, log, ...request }) => ({
    json: {
      status: 'accepted',
      triggerId: await acceptEvent(caller, params.flow_id, sentEvent(request), { at, log }),
    },
  }),
);
