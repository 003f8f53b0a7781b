import { removeSecret } from '#lib/access/signing-secret/own-secret.ts';
import { endpoint } from '#lib/api/endpoint.ts';
import { signingSecretRoutes } from '#lib/api/signing-secret-routes.ts';

export const handler = endpoint(
  signingSecretRoutes.deleteWebhookSecret,
  async ({ caller, params, query }) => {
    await removeSecret(caller, { ...query, flowid: params.flow_id });
    return { empty: true };
  },
);
