import { endpoint } from '#lib/http/endpoint.ts';
import { callbackRoutes } from '#lib/routes/callback-routes.ts';
import { showSecret } from '#lib/webhook-secret/own-secret.ts';

export const handler = endpoint(callbackRoutes.getCallbackSecret, async ({ caller, query, at }) => ({
  json: await showSecret(caller, query, at),
}));
