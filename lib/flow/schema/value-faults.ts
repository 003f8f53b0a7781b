// Whether a value fits a JSON Schema, evaluated where that is no burden to others: see `compute.ts`.
import type { Json, JsonObject } from '#lib/json.ts';
import {
  type Allowance,
  AllowancePassed,
  type Compute,
  computed,
  inlineLimits,
  spending,
} from '../compute.ts';
import { NodeError } from '../node-error.ts';
import { preparedFaults } from './validate.ts';

/** Faults as sentences that begin with the JSON pointer of the value; empty when it fits. Throws `schema.too_complex`. */
export async function valueFaults(
  schema: JsonObject,
  value: Json,
  compute: Compute | undefined,
): Promise<readonly string[]> {
  const faults = await computed(compute, { kind: 'schema', schema, value }, async (allowance) => {
    const check = await preparedFaults(schema);
    return [...spending(allowance, compute?.cpuMs ?? zero, () => checked(check, value, allowance))];
  });
  return Array.isArray(faults) ? faults.map(String) : [];
}

const zero = () => 0;

type Check = Awaited<ReturnType<typeof preparedFaults>>;

function checked(check: Check, value: Json, allowance: Allowance | undefined): readonly string[] {
  if (!allowance) return check(value);
  try {
    return check(value, { left: inlineLimits.schemaWork });
  } catch (error) {
    throw error instanceof NodeError && error.code === 'schema.too_complex' ? new AllowancePassed() : error;
  }
}
