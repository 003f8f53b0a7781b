import { setSecret } from '#lib/access/signing-secret/own-secret.ts';
import { endpoint } from '#lib/api/endpoint.ts';
import { signingSecretRoutes } from '#lib/api/signing-secret-routes.ts';

export const handler = endpoint(
  signingSecretRoutes.setWebhookSecret,
  async ({ caller, params, query, body, at }) => ({
    json: await setSecret(caller, { ...query, flowid: params.flow_id }, body, at),
  }),
);
