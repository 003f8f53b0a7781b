// The delivery of a run's callback: its stored form, and its wire form.
import * as z from 'zod';
import { attempt, deliveryState } from '#lib/delivery/attempt.ts';
import { runId } from '#lib/ids.ts';

const time = z.iso.datetime();

export const storedDelivery = z.object({
  state: deliveryState,
  attempts: z.array(attempt),
  next_attempt_at: time.optional(),
});
export type StoredDelivery = z.infer<typeof storedDelivery>;

const pushDelivery = z.strictObject({
  id: z
    .string()
    .meta({ description: 'The id of the configuration. Its receiver is known to its client alone.' }),
  state: deliveryState.meta({
    description: '`waiting`: the task has not ended, or another attempt will be made.',
  }),
  delivered: z.int().meta({ description: 'How many notifications the receiver has accepted.' }),
  last_delivered_at: time.optional(),
  attempts: z
    .array(attempt)
    .meta({ description: 'Those of the next notification that have failed, oldest first.' }),
  next_attempt_at: time.optional(),
});
export type PushDelivery = z.infer<typeof pushDelivery>;

export const deliveries = z
  .strictObject({
    workflow_id: runId,
    state: z.enum(['none', ...deliveryState.options]).meta({
      description:
        '`none`: no callback was requested. `waiting`: the run has not ended, or another attempt will be made.',
    }),
    attempts: z.array(attempt).meta({ description: 'Oldest first.' }),
    next_attempt_at: time.optional(),
    push_notifications: z
      .array(pushDelivery)
      .optional()
      .meta({ description: 'Of each push notification configuration that the run has as an A2A task.' }),
  })
  .meta({ id: 'Deliveries' });
export type Deliveries = z.infer<typeof deliveries>;
