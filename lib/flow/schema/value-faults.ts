// Validates a value against a JSON Schema without blocking other callers: large validations run on another
// thread, see `compute.ts`.
import type { Json, JsonObject } from '#lib/json/json.ts';
import {
  type Allowance,
  AllowancePassed,
  type Compute,
  chargeAllowance,
  inlineLimits,
  runInlineFirst,
} from '../expression/compute.ts';
import { NodeError } from '../format/node-error.ts';
import { createSchemaBudget } from './step-budget.ts';
import { prepareValidation } from './validate.ts';

/**
 * Returns faults as sentences that begin with a JSON pointer; none for a valid value. Throws
 * `schema.too_complex`.
 */
export async function findValueFaults(
  schema: JsonObject,
  value: Json,
  compute: Compute | undefined,
): Promise<readonly string[]> {
  const faults = await runInlineFirst(compute, { kind: 'schema', schema, value }, async (allowance) => {
    const check = await prepareValidation(schema);
    if (!compute || !allowance) return [...check(value)];
    return [
      ...chargeAllowance(allowance, compute.cpuMs, () => checkInline(check, value, { compute, allowance })),
    ];
  });
  return Array.isArray(faults) ? faults.map(String) : [];
}

type Check = Awaited<ReturnType<typeof prepareValidation>>;

interface Inline {
  readonly compute: Compute;
  readonly allowance: Allowance;
}

function checkInline(check: Check, value: Json, { compute, allowance }: Inline): readonly string[] {
  try {
    return check(
      value,
      createSchemaBudget(compute.cpuMs, { units: inlineLimits.schemaSteps, cpuMs: allowance.cpuMs }),
    );
  } catch (error) {
    throw error instanceof NodeError && error.code === 'schema.too_complex' ? new AllowancePassed() : error;
  }
}
