// Delivers the event of a webhook to the runs that wait for it, in place of starting a run.
import { eventNameExpected, eventNamePattern } from '#lib/flow/format/event-name.ts';
import { limits } from '#lib/flow/format/limits.ts';
import { NodeError } from '#lib/flow/format/node-error.ts';
import { jsonBytes } from '#lib/json/size.ts';
import type { WebhookMessage } from '#lib/run/run-queue.ts';
import { sendEvent } from '#lib/run/send-event.ts';
import { evaluateKey } from './delivery-key.ts';
import type { StoredTrigger } from './stored-trigger.ts';

export type DeliveringTrigger = StoredTrigger & { readonly deliver: NonNullable<StoredTrigger['deliver']> };

/** Returns the reason where no later delivery can help. A message that comes again has no further effect. */
export async function deliverEvent(
  { orgid, workspaceid, environment = 'live', deliver }: DeliveringTrigger,
  { event: sent, triggerId: id, accepted_at: at }: WebhookMessage,
): Promise<string | undefined> {
  const { event = sent.event } = deliver;
  const { data = {} } = sent;
  if (!eventNamePattern.test(event)) return `The name of the event: ${eventNameExpected}.`;
  if (jsonBytes(data) > limits.eventDataBytes)
    return `The data of the event is larger than ${limits.eventDataBytes} bytes.`;
  try {
    const key = await evaluateKey(deliver.key, { event: sent.event, data }, { id, orgid, at });
    await sendEvent(
      { orgid, workspaceid, environment, event, key },
      { id, data, at, fingerprint: 'webhook' },
    );
    return undefined;
  } catch (error) {
    if (error instanceof NodeError) return `The event has no key: ${error.message} (${error.code})`;
    throw error;
  }
}
