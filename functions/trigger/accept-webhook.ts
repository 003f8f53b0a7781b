import { endpoint } from '#lib/http/endpoint.ts';
import { triggerRoutes } from '#lib/routes/trigger-routes.ts';
import { acceptEvent } from '#lib/trigger/accept-event.ts';
import { sentEvent } from '#lib/trigger/sent-event.ts';

export const handler = endpoint(
  triggerRoutes.acceptWebhook,
  async ({ caller, params, at, log, ...request }) => ({
    json: {
      status: 'accepted',
      triggerId: await acceptEvent(caller, params.flow_id, sentEvent(request), { at, log }),
    },
  }),
);
