// Declared triggers: addresses beside the flow's own, with defaults, and schedules.
import * as z from 'zod';
import { callbackWarnings } from '#lib/callback/callback-warning.ts';
import { oneToFifty, pageCursor, pageLimit, pageSchema } from '#lib/http/parameters.ts';
import { management, route } from '#lib/http/route.ts';
import { declaredTriggerId, flowid, workspaceid } from '#lib/ids.ts';
import { createTriggerBody, declaredTrigger, updateTriggerBody } from '#lib/trigger/declared-trigger.ts';
import { skipReason, triggerKind } from '#lib/trigger/stored-trigger.ts';

const path = z.strictObject({ trigger_id: declaredTriggerId });
const dateTime = z.string().meta({ format: 'date-time' });
const shared = { ...management, tag: 'Automation' } as const;

const writtenTrigger = declaredTrigger.extend({ warnings: callbackWarnings }).meta({ id: 'WrittenTrigger' });

export const declaredTriggerRoutes = {
  listTriggers: route({
    ...shared,
    method: 'GET',
    path: '/api/v1/triggers',
    entry: 'trigger/list',
    auditName: 'trigger-definition/list',
    summary: 'List the declared triggers of a workspace',
    description: 'Newest first. The triggers that every flow has by itself are not listed.',
    permission: 'assistants.flows:read',
    requestHeaders: ['If-None-Match'],
    query: z.strictObject({
      workspaceid,
      flowid: flowid.optional(),
      kind: triggerKind.optional(),
      limit: pageLimit('Triggers'),
      cursor: pageCursor,
    }),
    response: {
      status: 200,
      description: 'One page of triggers.',
      schema: pageSchema(declaredTrigger, 'TriggerPage'),
    },
    errors: [],
    uses: ['control.read'],
  }),

  getTrigger: route({
    ...shared,
    method: 'GET',
    path: '/api/v1/triggers/{trigger_id}',
    entry: 'trigger/get',
    auditName: 'trigger-definition/get',
    summary: 'Get one declared trigger',
    permission: 'assistants.flows:read',
    requestHeaders: ['If-None-Match'],
    params: path,
    response: { status: 200, description: 'The trigger.', schema: declaredTrigger },
    errors: ['trigger_not_found'],
    uses: ['control.read'],
  }),

  createTrigger: route({
    ...shared,
    method: 'POST',
    path: '/api/v1/triggers',
    entry: 'trigger/create',
    auditName: 'trigger-definition/create',
    summary: 'Declare a trigger of a flow',
    description:
      'Its id replaces a flowid in the paths of the synchronous and the background trigger and of ' +
      'the webhook. A schedule is not called by a path, and a webhook with a `source` has an address of its ' +
      'own, which the answer has as `webhook_url`; both also need the permission `assistants.flows:run`.',
    permission: 'assistants.flows:create',
    requestHeaders: ['Idempotency-Key'],
    query: z.strictObject({ workspaceid }),
    body: createTriggerBody,
    bodyKind: 'management',
    response: { status: 201, description: 'The new trigger; `Location` names it.', schema: writtenTrigger },
    errors: ['trigger_id_taken', 'version_conflict'],
    uses: ['control.read', 'triggers.write', 'receipts.write'],
  }),

  updateTrigger: route({
    ...shared,
    method: 'PUT',
    path: '/api/v1/triggers/{trigger_id}',
    entry: 'trigger/update',
    auditName: 'trigger-definition/update',
    summary: 'Replace a declared trigger',
    description:
      'Replaces everything but id, kind and workspace; members that are left out return to their ' +
      'defaults. An unchanged schedule keeps its next time, and a webhook with a `source` its address; writing ' +
      'either also needs the permission `assistants.flows:run`.',
    permission: 'assistants.flows:update',
    requestHeaders: ['If-Match'],
    params: path,
    body: updateTriggerBody,
    bodyKind: 'management',
    response: { status: 200, description: 'The updated trigger.', schema: writtenTrigger },
    errors: ['trigger_not_found', 'version_conflict'],
    uses: ['control.read', 'triggers.write'],
  }),

  deleteTrigger: route({
    ...shared,
    method: 'DELETE',
    path: '/api/v1/triggers/{trigger_id}',
    entry: 'trigger/delete',
    auditName: 'trigger-definition/delete',
    summary: 'Delete a declared trigger',
    description:
      'Runs that it has started continue. Events that it has accepted and that still wait become dead letters.',
    permission: 'assistants.flows:delete',
    requestHeaders: ['If-Match'],
    params: path,
    response: { status: 204, description: 'Deleted.' },
    errors: ['trigger_not_found', 'version_conflict'],
    uses: ['control.read', 'triggers.write', 'signingSecrets.write'],
  }),

  nextRuns: route({
    ...shared,
    method: 'GET',
    path: '/api/v1/triggers/{trigger_id}/next-runs',
    otherMethods: 'byFunction',
    entry: 'trigger/next-runs',
    auditName: 'trigger-definition/next-runs',
    summary: 'See when a schedule runs next',
    description:
      'The list is empty while the trigger is disabled, or when its schedule is over. `last_skipped` says which runs did not take place, and why.',
    permission: 'assistants.flows:read',
    params: path,
    query: z.strictObject({
      count: oneToFifty.optional().meta({ description: 'How many times, 1 to 50; default 5.' }),
    }),
    response: {
      status: 200,
      description: 'The next times, soonest first.',
      schema: z
        .strictObject({
          items: z.array(dateTime),
          last_skipped: z
            .strictObject({ from: dateTime, until: dateTime, reason: skipReason })
            .optional()
            .meta({ description: 'The times that were skipped most recently; absent if there were none.' }),
        })
        .meta({ id: 'NextRuns' }),
    },
    errors: ['trigger_not_found', 'trigger_kind_mismatch'],
    uses: ['control.read'],
  }),
} as const;
