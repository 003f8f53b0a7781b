// Whether a value fits a JSON Schema, evaluated where that is no burden to others: see `compute.ts`.
import type { Json, JsonObject } from '#lib/json/json.ts';
import {
  type Allowance,
  AllowancePassed,
  type Compute,
  computed,
  inlineLimits,
  spending,
} from '../expression/compute.ts';
import { NodeError } from '../format/node-error.ts';
import { schemaWork } from './step-budget.ts';
import { preparedFaults } from './validate.ts';

/** Faults as sentences that begin with the JSON pointer of the value; empty when it fits. Throws `schema.too_complex`. */
export async function valueFaults(
  schema: JsonObject,
  value: Json,
  compute: Compute | undefined,
): Promise<readonly string[]> {
  const faults = await computed(compute, { kind: 'schema', schema, value }, async (allowance) => {
    const check = await preparedFaults(schema);
    if (!compute || !allowance) return [...check(value)];
    return [...spending(allowance, compute.cpuMs, () => checkedInline(check, value, { compute, allowance }))];
  });
  return Array.isArray(faults) ? faults.map(String) : [];
}

type Check = Awaited<ReturnType<typeof preparedFaults>>;

interface Inline {
  readonly compute: Compute;
  readonly allowance: Allowance;
}

function checkedInline(check: Check, value: Json, { compute, allowance }: Inline): readonly string[] {
  try {
    return check(
      value,
      schemaWork(compute.cpuMs, { units: inlineLimits.schemaWork, cpuMs: allowance.cpuMs }),
    );
  } catch (error) {
    throw error instanceof NodeError && error.code === 'schema.too_complex' ? new AllowancePassed() : error;
  }
}
