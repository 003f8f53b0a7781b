// Secrets that sign webhooks: those that senders sign a flow's events with, and those that we sign a workspace's callbacks with.
import * as z from 'zod';
import { route } from '#lib/http/route.ts';
import { flowid, workspaceid } from '#lib/ids.ts';
import { createdSecret, newSecretBody, signingSecret } from '#lib/webhook-secret/signing-secret.ts';

const management = {
  tag: 'Access',
  credentials: ['apiKey', 'bearer'],
  query: z.strictObject({ workspaceid }),
  timeout: 'quick',
  transfer: 'buffered',
} as const;
const webhook = {
  ...management,
  path: '/api/v1/webhook-secrets/{flow_id}',
  params: z.strictObject({ flow_id: flowid }),
} as const;
const callback = { ...management, path: '/api/v1/callback-secret' } as const;

const setting = {
  method: 'PUT',
  permission: 'assistants.flows:update',
  body: newSecretBody,
  bodyKind: 'management',
  response: {
    status: 200,
    description: 'The secrets in force, and a new one this once.',
    schema: createdSecret,
  },
  errors: ['version_conflict', 'payload_unreadable'],
  uses: ['flowKey.open', 'flowKey.seal', 'signingSecrets.write'],
} as const;
const showing = {
  method: 'GET',
  permission: 'assistants.flows:read',
  response: { status: 200, description: 'Since when which are in force.', schema: signingSecret },
  errors: ['signing_secret_not_found'],
  uses: [],
} as const;
const removing = {
  method: 'DELETE',
  permission: 'assistants.flows:update',
  response: { status: 204, description: 'None is in force any more.' },
  errors: ['signing_secret_not_found'],
  uses: ['signingSecrets.write'],
} as const;

const rotation = [
  'With `{}` the service makes it; the answer shows it this once. The secrets so far stay in force for `keep_former_hours`, five in all.',
  'Setting the newest one again changes nothing.',
].join(' ');

export const signingSecretRoutes = {
  setWebhookSecret: route({
    ...webhook,
    ...setting,
    entry: 'webhook-secret/set',
    auditName: 'access/set-webhook-secret',
    summary: 'Demand signed events for a flow, or set a new secret',
    description: `From \`effective_at\` on, ten seconds after the answer at most, the webhook of the flow takes only events signed as Standard Webhooks says. ${rotation}`,
  }),

  getWebhookSecret: route({
    ...webhook,
    ...showing,
    entry: 'webhook-secret/get',
    auditName: 'access/get-webhook-secret',
    summary: 'See whether a flow demands signed events',
  }),

  deleteWebhookSecret: route({
    ...webhook,
    ...removing,
    entry: 'webhook-secret/delete',
    auditName: 'access/delete-webhook-secret',
    summary: 'Take events for a flow without signatures again',
    description: 'Within ten seconds everywhere.',
  }),

  setCallbackSecret: route({
    ...callback,
    ...setting,
    entry: 'callback/set-secret',
    auditName: 'access/set-callback-secret',
    summary: "Set the secret that signs a workspace's completion callbacks",
    description: `From now on callbacks carry a signature (Standard Webhooks) for each secret in force; without any they wait. ${rotation}`,
  }),

  getCallbackSecret: route({
    ...callback,
    ...showing,
    entry: 'callback/get-secret',
    auditName: 'access/get-callback-secret',
    summary: 'See which callback secrets are in force',
  }),

  deleteCallbackSecret: route({
    ...callback,
    ...removing,
    entry: 'callback/delete-secret',
    auditName: 'access/delete-callback-secret',
    summary: 'Remove the callback secrets of a workspace',
  }),
} as const;
