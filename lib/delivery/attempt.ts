// One attempt of a delivery to a receiver of callers (a callback, a push notification), the times of the
// attempts, and what follows from each.
import * as z from 'zod';
import type { EgressCode } from '#lib/egress/egress-error.ts';

const minute = 60;
const hour = 60 * minute;
/** Seconds from the previous attempt to each attempt: the schedule of Svix, 27.5 hours in total. */
export const waitSeconds = [0, 5, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 10 * hour] as const;

export const attempt = /* @__PURE__ */ z.lazy(() =>
  z.strictObject({
    at: z.iso.datetime(),
    duration_ms: z.int(),
    status: z.int().optional().meta({ description: 'The status of the response, if there was one.' }),
    error: z.string().optional().meta({
      description:
        'Why there was no response: `timeout`, `network`, `no_secret` (the workspace has no callback secret), or a refusal such as `egress.private_address`.',
    }),
  }),
);
export type Attempt = z.infer<typeof attempt>;

/** Whether more attempts follow. */
export const deliveryState = z.enum(['waiting', 'delivered', 'given_up']);
export type DeliveryState = z.infer<typeof deliveryState>;

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
export function stateAfter({ status = 0, error = '' }: Attempt, number: number): DeliveryState {
  if (status >= 200 && status < 300) return 'delivered';
  const isLast = status === 410 || finalRefusals.has(error) || number + 1 === waitSeconds.length;
  return isLast ? 'given_up' : 'waiting';
}
