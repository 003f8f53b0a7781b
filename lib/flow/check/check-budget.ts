// The work of checking one flow: so much for each of its bytes, whatever it is made of. What takes longer than its size says, such as
// expressions, regular expressions and ways through nodes, is counted before it is done; at the end of the budget the flow is refused there.
import { pointerTo } from '#lib/json/pointer.ts';
import { mistakesMax } from '#lib/mistakes.ts';
import { linearPattern } from '../expression/regex.ts';
import { limits } from '../format/limits.ts';
import type { Mistake, Path } from './mistake.ts';

export interface CheckBudget {
  left: number;
  /** Where the check is. */
  at: Path;
  /** The patterns of JSON Schemas that have been compiled: schemas repeat theirs, such as that of an id, hundreds of times. */
  readonly patterns: Set<string>;
}

export const checkWork = (bytes: number): CheckBudget => ({
  left: limits.checkWorkMin + bytes * limits.checkWorkPerByte,
  at: [],
  patterns: new Set(),
});

/** In units of some 25 ns. Throws `CheckEnded`. */
export function spendCheckBudget(work: CheckBudget, units: number): void {
  work.left -= units;
  if (work.left < 0) throw new CheckEnded(work.at);
}

/** For each instruction of a regular expression: 2.5 µs. */
const patternUnits = 100;

/** Throws `expression.syntax` where the pattern is not available. It is compiled, and its work counted, once for the whole flow. */
export const checkPatternWithin =
  (work: CheckBudget) =>
  (source: string): void => {
    if (work.patterns.has(source)) return;
    linearPattern(source, (weight) => spendCheckBudget(work, weight * patternUnits));
    work.patterns.add(source);
  };

export class CheckEnded extends Error {
  readonly mistake: Mistake;

  constructor(at: Path) {
    super('The check of the flow takes too much work.');
    this.name = 'CheckEnded';
    const detail =
      'the check of the flow takes too much work up to here: expected shorter expressions, patterns and schemas, or fewer of them';
    this.mistake = { pointer: pointerTo(at), detail };
  }
}

/** Enough for the answer: the check stops. */
export const isFull = (mistakes: readonly Mistake[]): boolean => mistakes.length >= mistakesMax;

/** Of lists that a flow decides the length of, such as its mistakes in a record of a million names. */
export function addUpTo<T>(limit: number, all: T[], more: Iterable<T>): void {
  for (const one of more) {
    if (all.length >= limit) return;
    all.push(one);
  }
}
