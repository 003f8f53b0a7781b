// Runs a `wait` for an event. Loaded with the first flow that has a `wait`. How events are sent and found:
// docs/decisions/0059-run-events.md.
import type { Json, JsonObject } from '#lib/json/json.ts';
import { preview } from '../engine/log-preview.ts';
import type { NodeContext, Paused, RunNode, Step } from '../engine/node-context.ts';
import { typedTemplate } from '../expression/template.ts';
import { eventKeyExpected, readEventKey } from '../format/event-name.ts';
import { isObject } from '../format/json-value.ts';
import { limits } from '../format/limits.ts';
import { NodeError } from '../format/node-error.ts';
import { findValueFaults } from '../schema/value-faults.ts';

interface EventWaitFields {
  readonly event?: string | undefined;
  readonly key?: string | undefined;
  readonly schema?: JsonObject | undefined;
  readonly timeout_seconds?: number | undefined;
  readonly on_timeout?: string | undefined;
}

export function prepareRun(node: EventWaitFields): RunNode {
  const pause = preparePause(node);
  return async (context) => {
    if (context.answer) return await receive(node, context.answer.value, context);
    return context.isDue ? timeOut(node) : await pause(context);
  };
}

async function receive(
  { schema, event }: EventWaitFields,
  received: Json,
  { at }: NodeContext,
): Promise<Step> {
  const data = isObject(received) ? (received.data ?? null) : null;
  const faults = schema ? await findValueFaults(schema, data, at.compute) : [];
  if (faults.length > 0)
    throw new NodeError('wait.invalid_data', `The data of the event does not match: ${faults.join('; ')}.`);
  return { output: received, note: `received ${event}: ${preview(data, 200)}` };
}

function timeOut({ event, on_timeout }: EventWaitFields): Step {
  if (on_timeout !== undefined)
    return { output: null, next: on_timeout, note: `received no ${event}, goes to ${on_timeout}` };
  throw new NodeError('wait.timeout', `The event ${event} was not sent in time.`);
}

function preparePause({
  event = '',
  key,
  timeout_seconds: seconds = limits.pauseSecondsMax,
}: EventWaitFields): (context: NodeContext) => Promise<Paused> {
  const renderKey = typedTemplate(key ?? null);
  return async ({ at, now }) => ({
    pause: {
      kind: 'event',
      event,
      key: requireKey(await renderKey(at)),
      since: new Date(now()).toISOString(),
      expires_at: new Date(now() + seconds * 1000).toISOString(),
    },
  });
}

function requireKey(value: Json): string {
  const key = readEventKey(value);
  if (key !== undefined) return key;
  throw new NodeError('wait.bad_key', `key: ${eventKeyExpected}.`);
}
