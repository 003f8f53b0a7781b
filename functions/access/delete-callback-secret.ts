import { removeSecret } from '#lib/access/signing-secret/own-secret.ts';
import { endpoint } from '#lib/api/endpoint.ts';
import { signingSecretRoutes } from '#lib/api/signing-secret-routes.ts';

export const handler = endpoint(signingSecretRoutes.deleteCallbackSecret, async ({ caller, query }) => {
  await removeSecret(caller, query);
  return { empty: true };
});
