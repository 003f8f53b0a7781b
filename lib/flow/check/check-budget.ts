// The step budget for the check of one flow, which grows with the size of the flow. What takes longer than its size
// suggests, such as expressions, regular expressions and paths through the nodes, is counted before it is done. When
// the budget is used up, the flow is refused with a pointer to the part that was being checked.
import { type MistakeList, mistakesMax } from '#lib/mistakes.ts';
import { linearPattern } from '../expression/regex.ts';
import { limits } from '../format/limits.ts';
import { comparedMax, comparisonUnits, nearName } from '../format/near-name.ts';
import type { Path } from './mistake.ts';

export interface CheckBudget {
  /** Units of some 25 ns. */
  left: number;
  /** The same for what is only read to find warnings: once it is used up, no more of them are found. */
  leftForWarnings: number;
  /** The part of the flow that is being checked. */
  path: Path;
  /** Patterns that have been compiled. Schemas repeat patterns, such as that of an id, hundreds of times. */
  readonly patterns: Set<string>;
}

/** The mistakes that the check has found so far, and what it may still spend. */
export interface CheckState {
  readonly mistakes: MistakeList;
  readonly budget: CheckBudget;
}

/** For all warnings of a flow: 200 ms. */
const warningUnits = 8_000_000;

export const newCheckBudget = (bytes: number): CheckBudget => ({
  left: limits.checkWorkMin + bytes * limits.checkWorkPerByte,
  leftForWarnings: warningUnits,
  path: [],
  patterns: new Set(),
});

/** Throws `CheckEnded`. */
export function spendCheckBudget(budget: CheckBudget, units: number): void {
  budget.left -= units;
  if (budget.left < 0) throw new CheckEnded(budget.path);
}

/** Whether there is budget left for a step that can only lead to a warning. A flow is never refused for those steps. */
export function spendOnWarnings(budget: CheckBudget, units: number): boolean {
  budget.leftForWarnings -= units;
  return budget.leftForWarnings >= 0;
}

/** For each instruction of a regular expression: 2.5 µs. */
const patternUnits = 100;

/**
 * Throws `expression.syntax` for a pattern that is not available. Each pattern is compiled and counted once for the
 * whole flow.
 */
export const checkPatternWithin =
  (budget: CheckBudget) =>
  (source: string): void => {
    if (budget.patterns.has(source)) return;
    linearPattern(source, (size) => spendCheckBudget(budget, size * patternUnits));
    budget.patterns.add(source);
  };

export class CheckEnded extends Error {
  readonly path: Path;

  constructor(path: Path) {
    super(
      'the check of the flow takes too much work up to here: expected shorter expressions, patterns and schemas, or fewer of them',
    );
    this.name = 'CheckEnded';
    this.path = path;
  }
}

/** Whether further mistakes are only counted. */
export const isFull = ({ listed }: MistakeList): boolean => listed.length >= mistakesMax;

/** The known name that a misspelled one probably means. Not searched for messages that are only counted. */
export function findNearName(
  { mistakes, budget }: CheckState,
  name: string,
  known: readonly string[] | ReadonlySet<string>,
): string | undefined {
  if (isFull(mistakes)) return undefined;
  const count = 'size' in known ? known.size : known.length;
  spendCheckBudget(budget, Math.min(count, comparedMax) * comparisonUnits);
  return nearName(name, known);
}
