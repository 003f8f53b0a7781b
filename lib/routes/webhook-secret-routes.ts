// Webhook secrets: the senders of a flow's events sign with them.
import * as z from 'zod';
import { route } from '#lib/http/route.ts';
import { flowid } from '#lib/ids.ts';
import { deleteSecret, getSecret, rotation, setSecret } from './signing-secret-rows.ts';

const webhook = {
  path: '/api/v1/webhook-secrets/{flow_id}',
  params: z.strictObject({ flow_id: flowid }),
} as const;

export const webhookSecretRoutes = {
  setWebhookSecret: route({
    ...webhook,
    ...setSecret,
    entry: 'webhook-secret/set',
    auditName: 'access/set-webhook-secret',
    summary: 'Require signed events for a flow, or set a new secret',
    description:
      `From \`effective_at\` on, at most ten seconds after the response, the webhook of the flow ` +
      `accepts only events signed according to Standard Webhooks. ${rotation}`,
  }),

  getWebhookSecret: route({
    ...webhook,
    ...getSecret,
    entry: 'webhook-secret/get',
    auditName: 'access/get-webhook-secret',
    summary: 'See whether a flow requires signed events',
  }),

  deleteWebhookSecret: route({
    ...webhook,
    ...deleteSecret,
    entry: 'webhook-secret/delete',
    auditName: 'access/delete-webhook-secret',
    summary: 'Accept events for a flow without signatures again',
    description: 'Takes effect everywhere within ten seconds.',
  }),
} as const;
