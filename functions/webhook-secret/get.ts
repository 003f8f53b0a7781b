import { endpoint } from '#lib/http/endpoint.ts';
import { signingSecretRoutes } from '#lib/routes/webhook-secret-routes.ts';
import { showSecret } from '#lib/webhook-secret/own-secret.ts';

export const handler = endpoint(
  signingSecretRoutes.getWebhookSecret,
  async ({ caller, params, query, at }) => ({
    json: await showSecret(caller, { ...query, flowid: params.flow_id }, at),
  }),
);
