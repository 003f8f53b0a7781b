// The triggers: run a flow and wait for its result, or hand it an event and go.
import * as z from 'zod';
import { flowid, runId, workspaceid } from '#lib/ids.ts';
import { runResult, runState } from '#lib/run/result.ts';
import { environment, triggerBody, webhookBody } from '#lib/run/trigger.ts';
import { route } from './route.ts';

export const triggerRoutes = {
  triggerFlow: route({
    method: 'POST',
    path: '/api/v1/ai/trigger/{workspace_id}/{trigger_id}/{environment}',
    entry: 'trigger/run',
    tag: 'Triggers',
    summary: 'Run a flow and wait for its result',
    description:
      'Answers 200 for completed and failed runs alike; the outcome is in `status`. The body may start with white space, sent to keep the connection open while the flow runs.',
    credentials: ['apiKey', 'bearer'],
    permission: 'assistants.flows:run',
    params: z.strictObject({ workspace_id: workspaceid, trigger_id: flowid, environment }),
    body: triggerBody,
    bodyBytesMax: 256_000,
    response: { status: 200, description: 'The result of the run.', schema: runResult },
    errors: ['trigger_not_found', 'payload_unreadable', 'too_many_runs'],
    uses: [
      'signingKey.publicKey',
      'control.read',
      'flowKey.open',
      'runs.read',
      'runs.write',
      'models.call',
      'flowKey.seal',
      'connections.refresh',
    ],
    timeout: 'run',
    transfer: 'stream',
  }),

  getRun: route({
    method: 'GET',
    path: '/api/v1/ai/trigger/status/{workspace_id}/{workflow_id}',
    entry: 'trigger/get-status',
    tag: 'Triggers',
    summary: 'See how a run is doing',
    description:
      'For runs of every trigger; `workflow_id` is the `triggerId` of a webhook and the task id of an A2A call.',
    credentials: ['apiKey', 'bearer'],
    permission: 'assistants.flows:run',
    params: z.strictObject({ workspace_id: workspaceid, workflow_id: runId }),
    response: { status: 200, description: 'The run so far.', schema: runState },
    errors: ['run_not_found'],
    uses: ['signingKey.publicKey', 'runs.read'],
    timeout: 'quick',
    transfer: 'buffered',
  }),

  acceptWebhook: route({
    method: 'POST',
    path: '/api/triggers/webhook/{flow_id}',
    entry: 'trigger/accept-webhook',
    tag: 'Triggers',
    summary: 'Accept an event for a flow and run it later',
    description:
      'Answers once the queue has the event. The live build of the flow then sees it as `input.event`.',
    credentials: ['bearer'],
    permission: 'assistants.flows:run',
    params: z.strictObject({ flow_id: flowid }),
    body: webhookBody,
    bodyBytesMax: 256_000,
    response: {
      status: 202,
      description: 'The event is stored; `triggerId` is the id of its run.',
      schema: z
        .strictObject({ status: z.literal('accepted'), triggerId: runId })
        .meta({ id: 'WebhookAccepted' }),
    },
    errors: ['trigger_not_found', 'ambiguous_flow'],
    uses: ['signingKey.publicKey', 'control.read', 'runQueue.send'],
    timeout: 'quick',
    transfer: 'buffered',
  }),
} as const;
