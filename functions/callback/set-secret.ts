import { endpoint } from '#lib/http/endpoint.ts';
import { callbackRoutes } from '#lib/routes/callback-routes.ts';
import { setSecret } from '#lib/webhook-secret/own-secret.ts';

export const handler = endpoint(callbackRoutes.setCallbackSecret, async ({ caller, query, body, at }) => ({
  json: await setSecret(caller, query, body, at),
}));
