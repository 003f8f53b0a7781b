// A declared trigger as callers see it, and the bodies that create and replace one.
import * as z from 'zod';
import { environment, environmentName } from '#lib/environment/environment.ts';
import { limits } from '#lib/flow/format/limits.ts';
import { declaredTriggerId, flowid, orgid, workspaceid } from '#lib/ids.ts';
import { jsonObject } from '#lib/json/json.ts';
import { callbackUrl } from '#lib/run/callback-url.ts';
import { eventName } from '#lib/run/event-name.ts';
import { messageText, userVariables } from '#lib/run/trigger.ts';
import { schedule } from '#lib/schedule/schedule.ts';
import { webhookSource } from '#lib/webhook-source/source.ts';
import { respond as storedRespond, triggerKind } from './stored-trigger.ts';

const kind = triggerKind.meta({
  description:
    'What starts runs of the trigger: a caller who waits (`api`), a caller who does not (`background`), an event (`webhook`) or the clock (`schedule`).',
});
const message = messageText('In place of an empty message of the caller.');
const variables = userVariables(
  "Under the caller's: of a variable that both name, the caller's value counts.",
);
const enabled = z.boolean().meta({ description: 'A disabled trigger starts nothing.' });
const environmentText =
  'For the kinds api and background: the only environment that the trigger may be used in. For webhook and schedule: the environment in which its runs are started, `live` by default.';

const delivery = z
  .strictObject({
    event: eventName
      .optional()
      .meta({ description: 'The `event` of the `wait`; by default the type of the event that was sent.' }),
    key: z.string().min(1).max(limits.expressionCharsMax).meta({
      description:
        'The `key` of the `wait`: a text with expressions over the event, which is `input.event` as in a flow.',
      example: '{{ input.event.data.body.order_id }}',
    }),
  })
  .meta({ id: 'EventDelivery' });

const respond = storedRespond.meta({
  description:
    'Only of kind webhook: whether an event is answered as soon as the queue has it (`accepted`, the default), or with the result of its run (`result`) if the run ends before the sender stops waiting.',
});

const writable = {
  flowid,
  environment: environment.optional().meta({ description: environmentText, example: 'uat' }),
  message: message.optional(),
  user_variables: variables.optional(),
  enabled: enabled.optional().meta({ description: 'Default: true.' }),
  callback_url: callbackUrl.optional().meta({
    description:
      'The URL that is notified when a run of the trigger has ended, unless the run has a callback of its own. Not for kind api, whose callers wait.',
  }),
  schedule: schedule.optional().meta({ description: 'Required of kind schedule, and only there.' }),
  source: webhookSource.optional().meta({
    description:
      'Only of kind webhook: who sends the events. The trigger then has an address of its own, `webhook_url`, and the signature of the sender is the credential.',
  }),
  deliver: delivery.optional().meta({
    description:
      'Only of kind webhook: its events start no run, but continue those that wait for them, of all flows of the workspace.',
  }),
  respond: respond.optional(),
};

export const createTriggerBody = z
  .strictObject({
    trigger_id: declaredTriggerId.optional().meta({ description: 'Generated if absent.' }),
    kind,
    ...writable,
  })
  .meta({ id: 'CreateTrigger' });
export const updateTriggerBody = z
  .strictObject({
    ...writable,
    new_address: z.literal(true).optional().meta({
      description:
        'Gives a trigger with a source another `webhook_url`. The former is refused within ten seconds.',
    }),
  })
  .meta({ id: 'UpdateTrigger' });
export type CreateTriggerBody = z.infer<typeof createTriggerBody>;
export type UpdateTriggerBody = z.infer<typeof updateTriggerBody>;

const timestamp = z.string().meta({ format: 'date-time', description: 'RFC 3339, UTC.' });

export const declaredTrigger = z
  .strictObject({
    trigger_id: declaredTriggerId,
    kind,
    workspaceid,
    orgid,
    flowid,
    environment: environmentName.optional(),
    message: z.string().optional(),
    user_variables: jsonObject.optional(),
    enabled,
    disabled_reason: z
      .string()
      .optional()
      .meta({ description: 'Why the service itself disabled the trigger.' }),
    callback_url: callbackUrl.optional(),
    schedule: schedule.optional(),
    source: webhookSource.optional(),
    deliver: delivery.optional(),
    respond: respond.optional(),
    webhook_url: z.string().optional().meta({
      description:
        'Where the source sends its events. Shown to callers with the permission `assistants.flows:update`.',
    }),
    version: z.int().positive().meta({ description: 'Goes up by one with every change, but not with runs.' }),
    created_at: timestamp,
    updated_at: timestamp,
    created_by: z.string(),
    updated_by: z.string().meta({
      description: 'The principal that wrote it last; schedules and webhooks with a source run as it.',
    }),
  })
  .meta({ id: 'Trigger' });
export type DeclaredTrigger = z.infer<typeof declaredTrigger>;
