// The `key` of a trigger that delivers: a text whose expressions read the event. Loaded by the first trigger that has one.
import { parseExpression } from '#lib/flow/expression/language.ts';
import { typedTemplate } from '#lib/flow/expression/template.ts';
import { eventKeyExpected, readEventKey } from '#lib/flow/format/event-name.ts';
import { NodeError } from '#lib/flow/format/node-error.ts';
import { parseSegments } from '#lib/flow/format/template-segments.ts';
import type { JsonObject } from '#lib/json/json.ts';
import { clock } from '#lib/run/compute/clock.ts';
import { computeOnce } from '#lib/run/compute/compute-port.ts';

/** Describes the mistake of a text with expressions; undefined if there is none. */
export function findKeyMistake(text: string): string | undefined {
  try {
    for (const part of parseSegments(text)) if ('expression' in part) parseExpression(part.expression);
    return undefined;
  } catch (error) {
    if (error instanceof NodeError) return error.message;
    throw error;
  }
}

/** Throws `NodeError` where the expressions do, or give no key. The event is `input.event`, as in a flow. */
export async function evaluateKey(
  text: string,
  event: JsonObject,
  { id, orgid, at }: { readonly id: string; readonly orgid: string; readonly at: string },
): Promise<string> {
  const input = { message: '', user_variables: {}, event };
  const scope = { input, state: {}, env: {}, nodes: {}, run: { id, started_at: at, turn: 1 } };
  const compute = computeOnce(orgid);
  const render = typedTemplate(text);
  const value = await render({ scope, pace: () => undefined, cpuMs: clock.cpuMs, compute, made: 0 });
  const key = readEventKey(value);
  if (key !== undefined) return key;
  throw new NodeError('wait.bad_key', `The key of the event: ${eventKeyExpected}.`);
}
