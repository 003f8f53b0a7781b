import { endpoint } from '#lib/http/endpoint.ts';
import { webhookSecretRoutes } from '#lib/routes/webhook-secret-routes.ts';
import { findSecretScope } from '#lib/trigger/secret-scope.ts';
import { showSecret } from '#lib/webhook-secret/own-secret.ts';

export const handler = endpoint(
  webhookSecretRoutes.getWebhookSecret,
  async ({ caller, params, query, at }) => ({
    json: await showSecret(caller, await findSecretScope(caller, params.flow_id, query.workspaceid), at),
  }),
);
