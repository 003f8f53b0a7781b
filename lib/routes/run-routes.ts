// Runs: canceling them, answering their questions, and reading their state and events.
import * as z from 'zod';
import { environment } from '#lib/environment/environment.ts';
import { limits } from '#lib/flow/format/limits.ts';
import { pageCursor, pageLimit, pageSchema } from '#lib/http/parameters.ts';
import { route, showsRuns } from '#lib/http/route.ts';
import { flowid, registryId, runId, triggerReference, workspaceid } from '#lib/ids.ts';
import { runDetail, runSummary } from '#lib/run/detail.ts';
import { runState } from '#lib/run/result.ts';
import { resumeBody } from '#lib/run/resume.ts';
import { sendEventBody, sentReceipt } from '#lib/run/send-event.ts';
import { rerunsMax, runTrigger } from '#lib/run/stored-run.ts';
import { countedBy, countedMax, runCounts } from '#lib/run/summarize.ts';

const control = {
  tag: 'Triggers',
  credentials: ['apiKey', 'bearer', 'session'],
  permission: 'assistants.flows:run',
  timeout: 'quick',
  transfer: 'buffered',
} as const;
const read = {
  method: 'GET',
  tag: 'Runs',
  credentials: ['apiKey', 'bearer', 'session'],
  permission: 'assistants.flows:read',
} as const;
const runPath = z.strictObject({ workspace_id: workspaceid, workflow_id: runId });
const time = z.iso.datetime({ offset: true, error: 'must be a time such as 2027-01-31T00:00:00Z' });
const generation = z
  .string()
  .regex(/^\d{1,9}$/, 'must be a number')
  .transform(Number);

export const runRoutes = {
  cancelRun: route({
    ...control,
    method: 'POST',
    path: '/api/v1/ai/trigger/cancel/{workspace_id}/{workflow_id}',
    otherMethods: 'byFunction',
    entry: 'run/cancel',
    audited: true,
    summary: 'Cancel a run',
    description:
      'No body. Requests that the run has in flight are aborted within a second. Canceling again answers the canceled run.',
    params: runPath,
    response: { status: 200, description: 'The run, canceled.', schema: runState },
    errors: ['run_not_found', 'event_not_run', 'run_over'],
    uses: [...showsRuns, 'runQueue.send'],
  }),

  resumeRun: route({
    ...control,
    method: 'POST',
    path: '/api/v1/ai/trigger/resume/{workspace_id}/{workflow_id}',
    otherMethods: 'byFunction',
    entry: 'run/resume',
    audited: true,
    summary: 'Answer the question of a run',
    description:
      'A run in the state `input_required` then continues in the background. A run in the state ' +
      '`auth_required` continues by itself once the connections that it needs are stored; a request' +
      ' without an answer makes it check again. Sending the same answer to the same question again ' +
      'changes nothing. An answer that names its question waits some seconds while the run ' +
      'processes the answer to another.',
    params: runPath,
    body: resumeBody,
    bodyKind: 'trigger',
    response: { status: 202, description: 'The run, which continues.', schema: runState },
    errors: ['run_not_found', 'event_not_run', 'run_not_waiting', 'run_busy'],
    uses: [...showsRuns, 'flowKey.open', 'flowKey.seal', 'runQueue.send'],
  }),

  sendRunEvent: route({
    ...control,
    method: 'POST',
    path: '/api/v1/run-events',
    otherMethods: 'byFunction',
    entry: 'run/send-event',
    audited: true,
    summary: 'Send an event to the runs that wait for it',
    description:
      'Resumes all runs of the workspace whose `wait` has this `event` and `key`, of whichever flow. The event ' +
      `is kept for ${limits.eventKeepSeconds / 60} minutes: a run that begins to wait for it by then gets it, too.`,
    query: z.strictObject({ workspaceid }),
    body: sendEventBody,
    bodyKind: 'trigger',
    response: { status: 202, description: 'The event is stored.', schema: sentReceipt },
    errors: ['idempotency_key_reused'],
    uses: ['events.send', 'flowKey.seal', 'runQueue.send'],
  }),

  listRuns: route({
    ...read,
    path: '/api/v1/runs',
    otherMethods: 'byFunction',
    entry: 'run/list',
    summary: 'List the runs of a workspace',
    description: 'Newest first. A run is in the list some moments after it was started.',
    query: z.strictObject({
      workspaceid,
      flowid: flowid.optional(),
      a2aregistryid: registryId.optional().meta({ description: 'Runs of this build only.' }),
      trigger: runTrigger.optional().meta({ description: 'Runs of this kind of trigger only.' }),
      trigger_id: triggerReference.optional().meta({
        description:
          "Runs of this trigger only: of a declared one, or of a flow's own, whose id is its flowid.",
      }),
      environment: environment.optional(),
      created_by: z.string().min(1).max(200).optional().meta({
        description:
          'Runs that this principal of the organisation has begun, or whose schedule did: the id of an API key or of a user. Not those that an earlier version has stored.',
      }),
      replay_of: runId.optional().meta({
        description: `Runs that run this one again: the first ${rerunsMax}, which are its \`replays\`.`,
      }),
      fork_of: runId.optional().meta({
        description: `Runs that fork this one: the first ${rerunsMax}, which are its \`forks\`.`,
      }),
      status: z.array(runSummary.shape.status).min(1).max(6).optional().meta({
        description: 'Runs with this status only. Repeat the name for alternatives.',
      }),
      from: time.optional().meta({ description: 'Started at this time or later.' }),
      to: time.optional().meta({ description: 'Started at this time or earlier.' }),
      limit: pageLimit('Runs'),
      cursor: pageCursor,
    }),
    response: {
      status: 200,
      description:
        'One page of runs. With filters that few runs match, a page may be short although there is a next one.',
      schema: pageSchema(runSummary, 'RunPage'),
    },
    errors: [],
    uses: ['runs.list'],
    timeout: 'quick',
    transfer: 'buffered',
  }),

  summarizeRuns: route({
    ...read,
    path: '/api/v1/runs/summary',
    otherMethods: 'byFunction',
    entry: 'run/summarize',
    summary: 'Count the runs of a workspace',
    description:
      `By status and by flow. At most the newest ${countedMax} runs of the time are counted; \`complete\` and \`since\` say ` +
      'whether there are older ones. A run is counted some moments after it was started.',
    query: z.strictObject({
      workspaceid,
      from: time.optional().meta({ description: 'Started at this time or later.' }),
      to: time.optional().meta({ description: 'Started at this time or earlier.' }),
      by: z.array(countedBy).min(1).max(2).optional().meta({
        description: 'What distinguishes the counts: both by default. Repeat the name for both.',
      }),
    }),
    response: { status: 200, description: 'The counts.', schema: runCounts },
    errors: [],
    uses: ['runs.list'],
    timeout: 'quick',
    transfer: 'buffered',
  }),

  getRunDetail: route({
    ...read,
    path: '/api/v1/runs/{workflow_id}',
    otherMethods: 'byFunction',
    entry: 'run/get',
    summary: 'See everything about a run',
    description: 'Its log, its artifacts, its times, what its models used, and its path through the flow.',
    params: z.strictObject({ workflow_id: runId }),
    response: { status: 200, description: 'The run.', schema: runDetail },
    errors: ['run_not_found', 'event_not_run'],
    uses: showsRuns,
    timeout: 'quick',
    transfer: 'stream',
  }),

  followRun: route({
    ...read,
    path: '/api/v1/runs/{workflow_id}/events',
    otherMethods: 'byFunction',
    entry: 'run/follow',
    summary: 'Follow a run as it happens',
    description: [
      'Server-sent events. Each has the `id` of a generation and JSON data: `status`, and those of ' +
        '`logs`, `replies`, `texts` (what models write, as they write it; what they write to the ' +
        'caller is in `replies`, as chunks of artifacts), `response`, `error`, `failure`, `input_requests` and ' +
        '`needs` that are new.',
      'The stream ends with the run, or after about two minutes: then reconnect with ' +
        '`Last-Event-ID`, or `after`. 204 if the run has ended and that was its last event.',
      'A comment every ten seconds keeps it open. Once the key is revoked or has expired, the ' +
        'stream ends within a minute, with an event named `unauthenticated`.',
      'The runs that a key and an organisation may follow at the same time are limited: 429 `too_many_runs`.',
    ].join(' '),
    requestHeaders: ['Last-Event-ID'],
    params: z.strictObject({ workflow_id: runId }),
    query: z.strictObject({
      after: generation.optional().meta({ description: 'Only events after this generation; 0 for all.' }),
    }),
    response: {
      status: 200,
      description: 'A stream of events.',
      contentType: 'text/event-stream',
      schema: z.string().meta({
        id: 'RunEvents',
        contentMediaType: 'text/event-stream',
        description:
          'Events as `id: {generation}`, `data: {JSON}` and an empty line; lines that begin with `:` keep the connection open.',
        example: 'id: 3\ndata: {"status":"working"}\n\n',
      }),
    },
    errors: ['run_not_found', 'event_not_run', 'too_many_runs'],
    uses: showsRuns,
    timeout: 'run',
    transfer: 'stream',
  }),
} as const;
