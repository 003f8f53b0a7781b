import { endpoint } from '#lib/http/endpoint.ts';
import { webhookSecretRoutes } from '#lib/routes/webhook-secret-routes.ts';
import { findSecretScope } from '#lib/trigger/secret-scope.ts';
import { setSecret } from '#lib/webhook-secret/own-secret.ts';

export const handler = endpoint(
  webhookSecretRoutes.setWebhookSecret,
  async ({ caller, params, query, body, at }) => ({
    json: await setSecret(caller, await findSecretScope(caller, params.flow_id, query.workspaceid), body, at),
  }),
);
