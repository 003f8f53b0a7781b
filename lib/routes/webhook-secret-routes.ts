// Webhook secrets: the senders of a flow's events sign with them.
import * as z from 'zod';
import { route } from '#lib/http/route.ts';
import { triggerReference } from '#lib/ids.ts';
import { newWebhookSecretBody } from '#lib/webhook-secret/signing-secret.ts';
import { deleteSecret, getSecret, rotation, setSecret } from './signing-secret-rows.ts';

const webhook = {
  path: '/api/v1/webhook-secrets/{flow_id}',
  params: z.strictObject({ flow_id: triggerReference }),
} as const;

/** Of a declared trigger. */
const triggerErrors = ['trigger_not_found', 'trigger_kind_mismatch'] as const;

export const webhookSecretRoutes = {
  setWebhookSecret: route({
    ...webhook,
    ...setSecret,
    body: newWebhookSecretBody,
    errors: [...setSecret.errors, ...triggerErrors],
    entry: 'webhook-secret/set',
    auditName: 'access/set-webhook-secret',
    summary: 'Require signed events for a flow, or set a new secret',
    description:
      `From \`effective_at\` on, at most ten seconds after the response, the webhook of the flow ` +
      `accepts only events signed according to Standard Webhooks. With the id of a declared trigger that has a ` +
      `source, it sets the secret with which that source signs. ${rotation}`,
  }),

  getWebhookSecret: route({
    ...webhook,
    ...getSecret,
    errors: [...getSecret.errors, ...triggerErrors],
    entry: 'webhook-secret/get',
    auditName: 'access/get-webhook-secret',
    summary: 'See whether a flow requires signed events',
  }),

  deleteWebhookSecret: route({
    ...webhook,
    ...deleteSecret,
    errors: [...deleteSecret.errors, ...triggerErrors],
    entry: 'webhook-secret/delete',
    auditName: 'access/delete-webhook-secret',
    summary: 'Accept events for a flow without signatures again',
    description: 'Takes effect everywhere within ten seconds.',
  }),
} as const;
