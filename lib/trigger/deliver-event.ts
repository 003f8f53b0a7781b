// Delivers the event of a webhook to the runs that wait for it, in place of starting a run.
import { eventNameExpected, eventNamePattern } from '#lib/flow/format/event-name.ts';
import { isObject } from '#lib/flow/format/json-value.ts';
import { limits } from '#lib/flow/format/limits.ts';
import { NodeError } from '#lib/flow/format/node-error.ts';
import type { Json, JsonObject } from '#lib/json/json.ts';
import { jsonBytes } from '#lib/json/size.ts';
import type { WebhookMessage } from '#lib/run/run-queue.ts';
import { sendEvent } from '#lib/run/send-event.ts';
import { isNamedEvent } from '#lib/run/trigger.ts';
import { evaluateKey } from './delivery-key.ts';
import type { StoredTrigger } from './stored-trigger.ts';

export type DeliveringTrigger = StoredTrigger & { readonly deliver: NonNullable<StoredTrigger['deliver']> };

/** Returns the reason where no later delivery can help. A message that comes again has no further effect. */
export async function deliverEvent(
  { orgid, workspaceid, environment = 'live', deliver }: DeliveringTrigger,
  { event: sent, triggerId: id, accepted_at: at }: WebhookMessage,
): Promise<string | undefined> {
  const { event = readName(sent) } = deliver;
  const data = readContent(sent);
  if (event === undefined) return 'The event has no name: expected a text as its member `event` or `type`.';
  if (!data) return 'The event has no members that a run could wait for: expected an object.';
  if (!eventNamePattern.test(event)) return `The name of the event: ${eventNameExpected}.`;
  if (jsonBytes(data) > limits.eventDataBytes)
    return `The data of the event is larger than ${limits.eventDataBytes} bytes.`;
  try {
    const key = await evaluateKey(deliver.key, sent, { id, orgid, at });
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

/** Systems that send events of their own form name them in `event` or in `type`, if at all. */
const readName = (sent: Json): string | undefined =>
  isObject(sent) ? [sent.event, sent.type].find((name) => typeof name === 'string') : undefined;

/** The `data` of a named event, and all of any other. */
function readContent(sent: Json): JsonObject | undefined {
  if (!isObject(sent)) return undefined;
  const content = isNamedEvent(sent) ? (sent.data ?? {}) : sent;
  return isObject(content) ? content : undefined;
}
