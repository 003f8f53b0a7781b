// The delivery queue: one message stands for one callback that is owed, and says which attempt is next and how long it shall wait.
import * as z from 'zod';
import { runId } from '#lib/ids.ts';
import { sendMessage } from '#lib/queue.ts';

export const deliveryMessage = z.strictObject({
  kind: z.literal('callback'),
  run_id: runId,
  /** Whose callbacks wait for each other when there are many. */
  orgid: z.string(),
  /** From 0. */
  attempt: z.int().nonnegative(),
  /** What is left to wait when the message comes. */
  wait_seconds: z.int().nonnegative(),
});
export type DeliveryMessage = z.infer<typeof deliveryMessage>;

/** SQS delays no message for longer, so a longer wait takes several turns. */
const delaySecondsMax = 900;

export async function enqueueDelivery({ wait_seconds, ...message }: DeliveryMessage): Promise<void> {
  const delay = Math.min(wait_seconds, delaySecondsMax);
  await sendMessage('DELIVERY_QUEUE_URL', {
    MessageBody: JSON.stringify({ ...message, wait_seconds: wait_seconds - delay }),
    DelaySeconds: delay,
    MessageGroupId: message.orgid,
  });
}
