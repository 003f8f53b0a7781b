// The delivery of a run's callback: the times of its attempts, its stored form, and its wire form.
import * as z from 'zod';
import type { EgressCode } from '#lib/egress/egress-error.ts';
import { runId } from '#lib/ids.ts';

const minute = 60;
const hour = 60 * minute;
/** Seconds from the previous attempt to each attempt: the schedule of Svix, 27.5 hours in total. */
export const waitSeconds = [0, 5, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 10 * hour] as const;

const time = z.iso.datetime();

export const attempt = z.strictObject({
  at: time,
  duration_ms: z.int(),
  status: z.int().optional().meta({ description: 'The status of the response, if there was one.' }),
  error: z.string().optional().meta({
    description:
      'Why there was no response: `timeout`, `network`, `no_secret` (the workspace has no callback secret), or a refusal such as `egress.private_address`.',
  }),
});
export type Attempt = z.infer<typeof attempt>;

const state = z.enum(['none', 'waiting', 'delivered', 'given_up']);

export const storedDelivery = z.object({
  state: state.exclude(['none']),
  attempts: z.array(attempt),
  next_attempt_at: time.optional(),
});
export type StoredDelivery = z.infer<typeof storedDelivery>;

export const deliveries = z
  .strictObject({
    workflow_id: runId,
    state: state.meta({
      description:
        '`none`: no callback was requested. `waiting`: the run has not ended, or another attempt will be made.',
    }),
    attempts: z.array(attempt).meta({ description: 'Oldest first.' }),
    next_attempt_at: time.optional(),
  })
  .meta({ id: 'Deliveries' });
export type Deliveries = z.infer<typeof deliveries>;

/** Refusals of the guarded fetch that another attempt would not change. */
const finalRefusals: ReadonlySet<string> = new Set<EgressCode>([
  'egress.url',
  'egress.scheme',
  'egress.credentials_in_url',
  'egress.private_address',
  'egress.request',
]);

/**
 * `number` counts from 0. A receiver that responds 410 (Gone), or whose address is refused, gets no more
 * attempts.
 */
export function stateAfter({ status = 0, error = '' }: Attempt, number: number): StoredDelivery['state'] {
  if (status >= 200 && status < 300) return 'delivered';
  const isLast = status === 410 || finalRefusals.has(error) || number + 1 === waitSeconds.length;
  return isLast ? 'given_up' : 'waiting';
}
