import { endpoint } from '#lib/http/endpoint.ts';
import { webhookSecretRoutes } from '#lib/routes/webhook-secret-routes.ts';
import { setSecret } from '#lib/webhook-secret/own-secret.ts';

export const handler = endpoint(
  webhookSecretRoutes.setWebhookSecret,
  async ({ caller, params, query, body, at }) => ({
    json: await setSecret(caller, { ...query, flowid: params.flow_id }, body, at),
  }),
);
