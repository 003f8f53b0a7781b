import { endpoint } from '#lib/http/endpoint.ts';
import { signingSecretRoutes } from '#lib/routes/webhook-secret-routes.ts';
import { showSecret } from '#lib/webhook-secret/own-secret.ts';

export const handler = endpoint(signingSecretRoutes.getCallbackSecret, async ({ caller, query, at }) => ({
  json: await showSecret(caller, query, at),
}));
