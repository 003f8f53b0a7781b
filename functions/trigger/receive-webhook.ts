import { endpoint } from '#lib/http/endpoint.ts';
import { triggerRoutes } from '#lib/routes/trigger-routes.ts';
import { receiveWebhook } from '#lib/trigger/receive-webhook.ts';

export const handler = endpoint(triggerRoutes.receiveWebhook, receiveWebhook);
