// What a trigger takes, and how it may refuse.
import * as z from 'zod';
import { jsonObject } from '#lib/json.ts';
import { callbackUrl } from './completion/callback-url.ts';

export const triggerBody = z
  .strictObject({
    message: z.string().max(64_000).meta({
      description: 'First message to the flow. May be empty: then that of a declared trigger counts.',
    }),
    user_variables: jsonObject
      .optional()
      .meta({ description: 'Variables that the flow sees as `input.user_variables`.' }),
  })
  .meta({ id: 'TriggerRequest' });

export type TriggerBody = z.infer<typeof triggerBody>;

/** Of a run that nobody waits for. */
export const startBody = triggerBody
  .extend({ callback_url: callbackUrl.optional() })
  .meta({ id: 'StartRequest' });
export type StartBody = z.infer<typeof startBody>;

export const webhookBody = z
  .strictObject({
    event: z.string().min(1).max(256).meta({ description: 'Name of the event.', example: 'ticket.closed' }),
    data: jsonObject.optional().meta({ description: 'Content of the event, free in form.' }),
  })
  .meta({ id: 'WebhookRequest' });
export type WebhookBody = z.infer<typeof webhookBody>;

/** What a door can answer that runs what `resolveTrigger` finds. */
export const resolveErrors = [
  'trigger_not_found',
  'trigger_disabled',
  'trigger_kind_mismatch',
  'pinned_build_gone',
] as const;
