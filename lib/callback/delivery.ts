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

export const deliveries = z
  .strictObject({
    workflow_id: runId,
    state: z.enum(['none', ...deliveryState.options]).meta({
      description:
        '`none`: no callback was requested. `waiting`: the run has not ended, or another attempt will be made.',
    }),
    attempts: z.array(attempt).meta({ description: 'Oldest first.' }),
    next_attempt_at: time.optional(),
  })
  .meta({ id: 'Deliveries' });
export type Deliveries = z.infer<typeof deliveries>;
