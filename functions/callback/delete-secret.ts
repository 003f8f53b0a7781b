import { endpoint } from '#lib/http/endpoint.ts';
import { signingSecretRoutes } from '#lib/routes/webhook-secret-routes.ts';
import { removeSecret } from '#lib/webhook-secret/own-secret.ts';

export const handler = endpoint(signingSecretRoutes.deleteCallbackSecret, async ({ caller, query }) => {
  await removeSecret(caller, query);
  return { empty: true };
});
