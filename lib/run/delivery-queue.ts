// The delivery queue: what is to be sent to receivers of callers, and how long each message waits.
import * as z from 'zod';
import { awsLimits } from '#lib/aws-limits.ts';
import { runId } from '#lib/ids.ts';

const waiting = () => ({
  run_id: runId,
  /** The message group: when there are many deliveries, those of one organisation wait for each other. */
  orgid: z.string(),
  /** From 0. */
  attempt: z.int().nonnegative(),
  /** The time that is left to wait when the message is delivered. */
  wait_seconds: z.int().nonnegative(),
});

/** One callback of a run. */
const callbackMessage = /* @__PURE__ */ z.lazy(() =>
  z.strictObject({ kind: z.literal('callback'), ...waiting() }),
);
export type CallbackMessage = z.infer<typeof callbackMessage>;

/** Updates of an A2A task for its push notification configurations. */
const pushMessage = /* @__PURE__ */ z.lazy(() =>
  z.strictObject({
    kind: z.literal('push'),
    ...waiting(),
    /** One configuration; absent for all that the task has. */
    config_id: z.string().optional(),
    /** The version of the configuration that is checked again and again until all its updates are delivered. */
    check: z.string().optional(),
  }),
);
export type PushMessage = z.infer<typeof pushMessage>;

/** The spans of a run that is over, for the sink of its environment. */
const exportMessage = /* @__PURE__ */ z.lazy(() =>
  z.strictObject({
    kind: z.literal('export'),
    ...waiting(),
    /** How many requests of the run the sink has taken. */
    sent: z.int().nonnegative().optional(),
  }),
);
export type ExportMessage = z.infer<typeof exportMessage>;

export const deliveryMessage = /* @__PURE__ */ z.lazy(() =>
  z.discriminatedUnion('kind', [callbackMessage, pushMessage, exportMessage]),
);
export type DeliveryMessage = z.infer<typeof deliveryMessage>;

/** SQS delays a message for at most 15 minutes, so a longer wait takes several messages. */
const delaySecondsMax = awsLimits.sqsDelaySeconds;

/** Between two checks of a message that was queued before anything was there to deliver. */
export const checkSeconds = delaySecondsMax;

/** Few runs have deliveries: the first that has one loads the client of SQS. */
export async function enqueueDelivery({ wait_seconds, ...message }: DeliveryMessage): Promise<void> {
  const { sendMessage } = await import('#lib/queue.ts');
  const delay = Math.min(wait_seconds, delaySecondsMax);
  await sendMessage('DELIVERY_QUEUE_URL', {
    MessageBody: JSON.stringify({ ...message, wait_seconds: wait_seconds - delay }),
    DelaySeconds: delay,
    MessageGroupId: message.orgid,
  });
}
