import { endpoint } from '#lib/http/endpoint.ts';
import { webhookSecretRoutes } from '#lib/routes/webhook-secret-routes.ts';
import { removeSecret } from '#lib/webhook-secret/own-secret.ts';

export const handler = endpoint(
  webhookSecretRoutes.deleteWebhookSecret,
  async ({ caller, params, query }) => {
    await removeSecret(caller, { ...query, flowid: params.flow_id });
    return { empty: true };
  },
);
