import { endpoint } from '#lib/http/endpoint.ts';
import { webhookSecretRoutes } from '#lib/routes/webhook-secret-routes.ts';
import { showSecret } from '#lib/webhook-secret/own-secret.ts';

export const handler = endpoint(
  webhookSecretRoutes.getWebhookSecret,
  async ({ caller, params, query, at }) => ({
    json: await showSecret(caller, { ...query, flowid: params.flow_id }, at),
  }),
);
