import { endpoint } from '#lib/http/endpoint.ts';
import { signingSecretRoutes } from '#lib/routes/webhook-secret-routes.ts';
import { setSecret } from '#lib/webhook-secret/own-secret.ts';

export const handler = endpoint(
  signingSecretRoutes.setCallbackSecret,
  async ({ caller, query, body, at }) => ({
    json: await setSecret(caller, query, body, at),
  }),
);
