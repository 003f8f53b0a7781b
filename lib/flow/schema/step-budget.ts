// The work of checking one value against a schema, counted as expressions count theirs: it ends at the same point on every machine.
import { limits } from '../format/limits.ts';
import { NodeError } from '../format/node-error.ts';

/** A caller may give less than the whole budget, to learn whether a little is enough. */
export interface SchemaSteps {
  /** Units of some 25 ns, see `limits.schemaWorkMax`. */
  left: number;
  /** Whether the CPU time is used up, where there is a clock: for steps that take longer than they are counted. */
  readonly isOutOfTime?: (() => boolean) | undefined;
}

export interface SchemaBudget {
  readonly units: number;
  /** Counts only where there is a clock. */
  readonly cpuMs: number;
}

const wholeBudget: SchemaBudget = { units: limits.schemaWorkMax, cpuMs: limits.schemaCpuMs };

/** `cpuMs` is the CPU time of this thread. */
export function schemaWork(cpuMs?: () => number, budget = wholeBudget): SchemaSteps {
  const left = budget.units;
  if (!cpuMs) return { left };
  const endMs = cpuMs() + budget.cpuMs;
  return { left, isOutOfTime: () => cpuMs() > endMs };
}

/** Throws `schema.too_complex`. Asked before the work is done, or right after where only then its size is known. */
export function spendSteps(work: SchemaSteps, units: number): void {
  const before = work.left;
  work.left = before - units;
  if (work.left < 0) throw tooComplex();
  if (work.isOutOfTime !== undefined && before >> lookEvery !== work.left >> lookEvery && work.isOutOfTime())
    throw tooComplex();
}

/** Every 2^16 units, some 2 ms. */
const lookEvery = 16;

export const tooComplex = () =>
  new NodeError(
    'schema.too_complex',
    'The JSON Schema takes too much work: it refers to itself too often or is too large for the value.',
  );

/** To list one name of an object. */
export const memberUnits = 3;

/** To read a text once. */
export const textUnits = (text: string): number => text.length >> 4;
