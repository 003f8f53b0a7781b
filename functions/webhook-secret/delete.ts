import { endpoint } from '#lib/http/endpoint.ts';
import { webhookSecretRoutes } from '#lib/routes/webhook-secret-routes.ts';
import { findSecretScope } from '#lib/trigger/secret-scope.ts';
import { removeSecret } from '#lib/webhook-secret/own-secret.ts';

export const handler = endpoint(
  webhookSecretRoutes.deleteWebhookSecret,
  async ({ caller, params, query }) => {
    await removeSecret(caller, await findSecretScope(caller, params.flow_id, query.workspaceid));
    return { empty: true };
  },
);
