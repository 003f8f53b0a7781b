// What a trigger takes: the bodies, and the environments that a path may name.
import * as z from 'zod';
import { jsonObject } from '#lib/json.ts';

const environments = { live: 'live', prod: 'live', test: 'test', dev: 'test', uat: 'test' } as const;

/** `live` and `prod` run the live build; the others the newest test build. Any case. */
export const environment = z
  .string()
  .transform((value) => value.toLowerCase())
  .pipe(z.enum(['live', 'prod', 'test', 'dev', 'uat']))
  .transform((value) => environments[value])
  .meta({
    description: '`live` or `prod`: the live build. `test`, `dev` or `uat`: the newest test build. Any case.',
    example: 'live',
  });
export type Environment = z.infer<typeof environment>;

export const triggerBody = z
  .strictObject({
    message: z.string().max(64_000).meta({ description: 'First message to the flow. May be empty.' }),
    user_variables: jsonObject
      .optional()
      .meta({ description: 'Variables that the flow sees as `input.user_variables`.' }),
  })
  .meta({ id: 'TriggerRequest' });

export type TriggerBody = z.infer<typeof triggerBody>;

export const webhookBody = z
  .strictObject({
    event: z.string().min(1).max(256).meta({ description: 'Name of the event.', example: 'ticket.closed' }),
    data: jsonObject.optional().meta({ description: 'Content of the event, free in form.' }),
  })
  .meta({ id: 'WebhookRequest' });
export type WebhookBody = z.infer<typeof webhookBody>;
