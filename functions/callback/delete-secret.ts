import { endpoint } from '#lib/http/endpoint.ts';
import { callbackRoutes } from '#lib/routes/callback-routes.ts';
import { removeSecret } from '#lib/webhook-secret/own-secret.ts';

export const handler = endpoint(callbackRoutes.deleteCallbackSecret, async ({ caller, query }) => {
  await removeSecret(caller, query);
  return { empty: true };
});
