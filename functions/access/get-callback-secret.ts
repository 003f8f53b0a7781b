import { showSecret } from '#lib/access/signing-secret/own-secret.ts';
import { endpoint } from '#lib/api/endpoint.ts';
import { signingSecretRoutes } from '#lib/api/signing-secret-routes.ts';

export const handler = endpoint(signingSecretRoutes.getCallbackSecret, async ({ caller, query, at }) => ({
  json: await showSecret(caller, query, at),
}));
