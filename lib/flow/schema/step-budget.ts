// The step budget of one validation against a schema. As for expressions, steps are counted, so that a
// validation ends at the same point on every machine.
import { limits } from '../format/limits.ts';
import { NodeError } from '../format/node-error.ts';

/** What is left of the budget. */
export interface SchemaBudget {
  /** Units of about 25 ns, see `limits.schemaStepsMax`. */
  left: number;
  /**
   * Whether the CPU time is used up, in case steps take longer than they are counted. Undefined without a
   * clock.
   */
  readonly isOutOfTime?: (() => boolean) | undefined;
}

export interface SchemaLimits {
  readonly units: number;
  /** CPU time in ms; ignored without a clock. */
  readonly cpuMs: number;
}

const wholeBudget: SchemaLimits = { units: limits.schemaStepsMax, cpuMs: limits.schemaCpuMs };

/**
 * `cpuMs` returns the CPU time of this thread. A caller can pass lower limits to find out whether a small
 * budget is enough.
 */
export function createSchemaBudget(cpuMs?: () => number, budget = wholeBudget): SchemaBudget {
  const left = budget.units;
  if (!cpuMs) return { left };
  const endMs = cpuMs() + budget.cpuMs;
  return { left, isOutOfTime: () => cpuMs() > endMs };
}

/**
 * Throws `schema.too_complex`. Called before an operation, or right after it if only then its size is known.
 */
export function spendSteps(budget: SchemaBudget, units: number): void {
  const before = budget.left;
  budget.left = before - units;
  if (budget.left < 0) throw tooComplex();
  if (
    budget.isOutOfTime !== undefined &&
    before >> clockShift !== budget.left >> clockShift &&
    budget.isOutOfTime()
  )
    throw tooComplex();
}

/** The clock is read every 2^16 units, about 2 ms. */
const clockShift = 16;

export const tooComplex = () =>
  new NodeError(
    'schema.too_complex',
    'The JSON Schema takes too much work: it refers to itself too often or is too large for the value.',
  );

/** Units for listing one name of an object. */
export const memberUnits = 3;

/** Units for reading a text once. */
export const textUnits = (text: string): number => text.length >> 4;
