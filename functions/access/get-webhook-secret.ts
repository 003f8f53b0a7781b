import { showSecret } from '#lib/access/signing-secret/own-secret.ts';
import { endpoint } from '#lib/api/endpoint.ts';
import { signingSecretRoutes } from '#lib/api/signing-secret-routes.ts';

export const handler = endpoint(
  signingSecretRoutes.getWebhookSecret,
  async ({ caller, params, query, at }) => ({
    json: await showSecret(caller, { ...query, flowid: params.flow_id }, at),
  }),
);
