// Starting runs: by a request that waits for the result, by one that does not, and by a webhook.
import * as z from 'zod';
import { callbackWarnings } from '#lib/callback/callback-warning.ts';
import { environment } from '#lib/environment/environment.ts';
import { route, runsFlows, showsRuns, storesRuns } from '#lib/http/route.ts';
import { runId, triggerReference, webhookId, workspaceid } from '#lib/ids.ts';
import { built } from '#lib/json/built-schema.ts';
import { runResult, runState } from '#lib/run/result.ts';
import { resolveErrors, startBody, triggerBody, webhookBody } from '#lib/run/trigger.ts';

const waitSeconds = /* @__PURE__ */ z.lazy(() =>
  z
    .string()
    .regex(/^(\d|1\d|20)$/, 'must be a number of seconds from 0 to 20')
    .transform(Number)
    .optional()
    .meta({
      description:
        'Seconds to wait for a change: from the state that `If-None-Match` names, or else from the ' +
        'current state. The response is sent at the first change. Waiting counts as following a run: ' +
        '429 `too_many_runs` beyond the limit.',
    }),
);

const startedRun = /* @__PURE__ */ z.lazy(() =>
  built(runState).extend({ warnings: callbackWarnings }).meta({ id: 'StartedRun' }),
);

/** `Location` of the 202 is the status of the run. */
const resultAnswer = {
  status: 200,
  description:
    'Of a declared trigger with `respond: result`: the output of the run, as JSON, or the status (200 to 299, 400 to 499), the content type and the body that its member `webhook_response` states. A run that takes longer is answered with 202, and `Location` has the path of its status. Sources whose protocol wants 200 get it instead of 202.',
} as const;

export const triggerRoutes = {
  triggerFlow: route({
    method: 'POST',
    path: '/api/v1/ai/trigger/{workspace_id}/{trigger_id}/{environment}',
    entry: 'trigger/run',
    tag: 'Triggers',
    summary: 'Run a flow and wait for its result',
    description:
      'Returns 200 for completed and failed runs alike; the outcome is in `status`. The body may ' +
      'start with white space, sent to keep the connection open while the flow runs. A client that ' +
      'disconnects cancels the run, unless the tenant is configured otherwise.',
    credentials: ['apiKey', 'bearer', 'session'],
    permission: 'assistants.flows:run',
    requestHeaders: ['traceparent', 'tracestate'],
    params: z.strictObject({ workspace_id: workspaceid, trigger_id: triggerReference, environment }),
    body: triggerBody,
    bodyKind: 'trigger',
    response: { status: 200, description: 'The result of the run.', schema: runResult },
    errors: [...resolveErrors, 'payload_unreadable', 'too_many_runs'],
    uses: runsFlows,
    timeout: 'run',
    transfer: 'stream',
  }),

  startRun: route({
    method: 'POST',
    path: '/api/v1/ai/trigger/start/{workspace_id}/{trigger_id}/{environment}',
    otherMethods: 'byFunction',
    entry: 'trigger/start',
    auditName: 'run/start',
    tag: 'Triggers',
    summary: 'Start a flow in the background',
    description:
      'Answers once the run is stored and queued; its state is at `GET /api/v1/ai/trigger/status/{workspace_id}/{workflow_id}`.',
    credentials: ['apiKey', 'bearer', 'session'],
    permission: 'assistants.flows:run',
    requestHeaders: ['Idempotency-Key', 'traceparent', 'tracestate'],
    params: z.strictObject({ workspace_id: workspaceid, trigger_id: triggerReference, environment }),
    body: startBody,
    bodyKind: 'trigger',
    response: { status: 202, description: 'The run, which is pending.', schema: startedRun },
    errors: [...resolveErrors, 'payload_unreadable'],
    uses: [...storesRuns, 'deliveryQueue.send'],
    timeout: 'quick',
    transfer: 'buffered',
  }),

  getRun: route({
    method: 'GET',
    path: '/api/v1/ai/trigger/status/{workspace_id}/{workflow_id}',
    otherMethods: 'byFunction',
    entry: 'trigger/get-status',
    tag: 'Triggers',
    summary: 'Get the state of a run',
    description:
      'For runs of every trigger; `workflow_id` is the `triggerId` of a webhook and the task id of ' +
      'an A2A call. An event that could not be run (a dead letter) is `failed`, with the reason. An' +
      ' event that no worker has started yet is 404 with `Retry-After`.',
    credentials: ['apiKey', 'bearer', 'session'],
    permission: 'assistants.flows:run',
    requestHeaders: ['If-None-Match'],
    params: z.strictObject({ workspace_id: workspaceid, workflow_id: runId }),
    query: z.strictObject({ wait: waitSeconds }),
    response: { status: 200, description: 'The run so far.', schema: runState },
    errors: ['run_not_found', 'too_many_runs'],
    uses: ['signingKey.publicKey', ...showsRuns],
    timeout: 'quick',
    transfer: 'stream',
  }),

  acceptWebhook: route({
    method: 'POST',
    path: '/api/triggers/webhook/{flow_id}',
    entry: 'trigger/accept-webhook',
    tag: 'Triggers',
    summary: 'Accept an event for a flow and run it later',
    description: [
      'Returns as soon as the event is in the queue. The live build of the flow then receives it as' +
        ' `input.event`; for a declared trigger it is the build of its environment. A flow with a ' +
        'signing secret',
      'accepts signed events only (Standard Webhooks). An event that is sent again with its name is' +
        ' accepted again and run once; another event with the name of a run is 422.',
    ].join(' '),
    credentials: ['bearer', 'session'],
    permission: 'assistants.flows:run',
    params: z.strictObject({ flow_id: triggerReference }),
    requestHeaders: [
      'eventName',
      'Webhook-Id',
      'Webhook-Timestamp',
      'Webhook-Signature',
      'traceparent',
      'tracestate',
    ],
    body: webhookBody,
    bodyKind: 'trigger',
    response: {
      status: 202,
      description: 'The event is stored; `triggerId` is the id of its run.',
      schema: z
        .strictObject({ status: z.literal('accepted'), triggerId: runId })
        .meta({ id: 'WebhookAccepted' }),
      other: resultAnswer,
    },
    errors: [
      'trigger_not_found',
      'trigger_disabled',
      'trigger_kind_mismatch',
      'ambiguous_flow',
      'run_failed',
    ],
    uses: ['signingKey.publicKey', 'control.read', 'runs.follow', 'flowKey.open', 'runQueue.send'],
    timeout: 'quick',
    transfer: 'buffered',
  }),

  receiveWebhook: route({
    method: 'POST',
    path: '/public/webhooks/{webhookId}',
    otherMethods: 'byFunction',
    optionsWith: 'webhook-request-origin',
    entry: 'trigger/receive-webhook',
    tag: 'Triggers',
    summary: 'Receive an event of a source',
    description:
      'The address of a declared trigger with a `source`, as its `webhook_url`. The signature of the sender is the ' +
      'credential. An address that does not exist, a trigger that is disabled and a signature that is missing, wrong ' +
      'or old have the same answer. An event that is sent again is accepted again and run once. OPTIONS with ' +
      '`WebHook-Request-Origin` is answered with `WebHook-Allowed-Origin` and `WebHook-Allowed-Rate` (the handshake of ' +
      'CloudEvents), at every address alike.',
    credentials: [],
    requestHeaders: ['traceparent', 'tracestate'],
    params: z.strictObject({ webhookId }),
    query: z.object({}),
    rawBody: {
      description: 'As the source sends it: JSON, or a form.',
      example: { action: 'opened', number: 1, pull_request: { title: 'Spelling' } },
      isOfAnyType: true,
    },
    bodyKind: 'trigger',
    response: {
      status: 202,
      description:
        'The event is stored, and `triggerId` is the id of its run; or it is of a type that the trigger ignores.',
      schema: z
        .strictObject({ status: z.enum(['accepted', 'ignored']), triggerId: runId.optional() })
        .meta({ id: 'WebhookReceived' }),
      other: resultAnswer,
    },
    errors: ['signature_invalid', 'malformed_json', 'rate_limited', 'run_failed'],
    uses: ['control.read', 'runs.follow', 'flowKey.open', 'limits.count', 'runQueue.send', 'callbacks.call'],
    timeout: 'quick',
    transfer: 'buffered',
  }),
} as const;
