// Checks an answer that is a text or an object, of which the checks see the JSON.
import type { Json, JsonObject } from '#lib/json/json.ts';
import { asText } from '../expression/text.ts';
import { NodeError } from '../format/node-error.ts';
import { findValueFaults } from '../schema/value-faults.ts';
import type { Guarding, PassText, Side } from './guarding.ts';

/** Undefined while a flow that checks the value is paused. */
export async function passValue(
  pass: PassText,
  side: Side,
  value: Json,
  guarding: Guarding,
): Promise<{ readonly value: Json } | undefined> {
  const text = asText(value);
  const passed = await pass(side, text, guarding);
  if (passed === undefined) return undefined;
  if (passed === text) return { value };
  return { value: typeof value === 'string' ? passed : parseRest(passed, side) };
}

/** The same for the answer of a node. What was replaced in an object must leave one that still matches the schema. */
export async function passAnswer(
  pass: PassText,
  answer: Json,
  schema: JsonObject | undefined,
  guarding: Guarding,
): Promise<{ readonly value: Json } | undefined> {
  const passed = await passValue(pass, 'output', answer, guarding);
  if (!passed || passed.value === answer || !schema) return passed;
  const faults = await findValueFaults(schema, passed.value, guarding.context.at.compute);
  if (faults.length === 0) return passed;
  throw new NodeError(
    'guardrail.blocked',
    'The answer does not match output_schema any more after guardrails.output has changed it.',
  );
}

function parseRest(text: string, side: Side): Json {
  try {
    return JSON.parse(text);
  } catch {
    throw new NodeError(
      'guardrail.blocked',
      `The object is not JSON any more after guardrails.${side} has changed it: expected checks that change nothing but texts.`,
    );
  }
}
