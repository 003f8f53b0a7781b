// Completion callbacks: the attempts to deliver them, and the secrets that sign them.
import * as z from 'zod';
import { deliveries } from '#lib/callback/delivery.ts';
import { route, showsRuns } from '#lib/http/route.ts';
import { runId, workspaceid } from '#lib/ids.ts';
import { deleteSecret, getSecret, rotation, setSecret } from './signing-secret-rows.ts';

export const callbackRoutes = {
  listDeliveries: route({
    method: 'GET',
    path: '/api/v1/runs/{workflow_id}/deliveries',
    otherMethods: 'byFunction',
    entry: 'callback/list-deliveries',
    auditName: 'run/list-deliveries',
    tag: 'Triggers',
    summary: 'See whether the callback and the push notifications of a run were delivered',
    description:
      'All attempts with time, duration and answer. The first attempt is immediate; the next follow' +
      ' after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h and 10 h, until the receiver responds with 2xx, or' +
      ' with 410 to receive no more. Push notifications of A2A tasks follow the same times.',
    credentials: ['apiKey', 'bearer', 'session'],
    permission: 'assistants.flows:read',
    params: z.strictObject({ workflow_id: runId }),
    query: z.strictObject({ workspaceid }),
    response: { status: 200, description: 'The attempts so far.', schema: deliveries },
    errors: ['run_not_found', 'event_not_run'],
    uses: showsRuns,
    timeout: 'quick',
    transfer: 'buffered',
  }),

  setCallbackSecret: route({
    path: '/api/v1/callback-secret',
    ...setSecret,
    entry: 'callback/set-secret',
    auditName: 'access/set-callback-secret',
    summary: "Set the secret that signs a workspace's completion callbacks",
    description:
      'From now on callbacks carry a signature (Standard Webhooks) for each secret in force; ' +
      `without any secret they wait. ${rotation}`,
  }),

  getCallbackSecret: route({
    path: '/api/v1/callback-secret',
    ...getSecret,
    entry: 'callback/get-secret',
    auditName: 'access/get-callback-secret',
    summary: 'See which callback secrets are in force',
  }),

  deleteCallbackSecret: route({
    path: '/api/v1/callback-secret',
    ...deleteSecret,
    entry: 'callback/delete-secret',
    auditName: 'access/delete-callback-secret',
    summary: 'Remove the callback secrets of a workspace',
  }),
} as const;
