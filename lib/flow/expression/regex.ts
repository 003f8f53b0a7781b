// Regular expressions in linear time, with the constructor that JSONata expects. The native engine never runs
// a pattern of a flow.
import { RE2JS } from 're2js';
import { limits } from '../format/limits.ts';
import { NodeError } from '../format/node-error.ts';
import { patternSize } from './pattern-size.ts';
import { checkMatch, type StepBudget } from './step-budget.ts';
import { tooLarge } from './value-size.ts';

export interface LinearPattern {
  /** Number of steps that a match of the text can take, about 25 to 40 ns each. The caller counts them. */
  readonly steps: (text: string) => number;
  readonly test: (text: string) => boolean;
}

/**
 * Throws `expression.syntax` for what linear time does not allow: look-around and back-references. `spend` is
 * called with the size of the pattern (see `patternSize`) before it is compiled, and may throw.
 */
export function linearPattern(source: string, spend?: (size: number) => void): LinearPattern {
  spend?.(patternSize(source));
  const pattern = compilePattern(source, 0);
  const stepsPerChar = isOnePass(pattern) ? Math.min(4, pattern.programSize()) : pattern.programSize();
  return {
    steps: (text) => stepsPerChar * text.length,
    test: (text) => pattern.matcher(text).find(),
  };
}

/**
 * Whether each character leads to only one state, as in most anchored expressions. The time of a match is
 * then independent of the size of the program.
 */
const isOnePass = (pattern: RE2JS) => Boolean(pattern.re2().onepass);

/** Throws `expression.syntax` like `linearPattern`. */
export const checkRegExp = (literal: RegExp): void => {
  compilePattern(literal.source, toFlags(literal));
};

/**
 * JSONata calls this with `new` for each evaluation of a literal. Each instance bounds its matches and their
 * time.
 */
export const boundedRegExp = (budget: StepBudget) =>
  function LinearRegExp(literal: RegExp) {
    return linearRegExp(literal, budget);
  };

const linearRegExp = (literal: RegExp, budget: StepBudget) =>
  boundedMatches(compilePattern(literal.source, toFlags(literal)), budget);

/** The same for the text of a pattern. Compiling counts too. */
export function boundedPattern(source: string, budget: StepBudget) {
  checkMatch(budget, patternSize(source) * compileSteps);
  return boundedMatches(compilePattern(source, 0), budget);
}

/** Compiling an instruction takes about as long as 500 steps of a match. */
const compileSteps = 500;

function boundedMatches(pattern: RE2JS, budget: StepBudget) {
  let matches = 0;
  return {
    lastIndex: 0,
    exec(text: string) {
      checkMatchSteps(pattern, text);
      checkMatch(budget, pattern.programSize() * text.length);
      if (++matches > limits.regexMatchesMax)
        throw tooLarge(`at most ${limits.regexMatchesMax} matches of a regular expression`);
      const matcher = pattern.matcher(text);
      if (!matcher.find(this.lastIndex)) return null;
      const groups = Array.from(
        { length: matcher.groupCount() + 1 },
        (_, group) => matcher.group(group) ?? undefined,
      );
      this.lastIndex = matcher.end();
      return Object.assign(groups, { index: matcher.start() });
    },
  };
}

function toFlags({ flags }: RegExp): number {
  return (flags.includes('i') ? RE2JS.CASE_INSENSITIVE : 0) | (flags.includes('m') ? RE2JS.MULTILINE : 0);
}

function compilePattern(source: string, flags: number): RE2JS {
  try {
    return RE2JS.compile(RE2JS.translateRegExp(source), flags);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : 'not understood';
    throw new NodeError('expression.syntax', `the regular expression /${source}/ is not available: ${why}`, {
      cause,
    });
  }
}

function checkMatchSteps(pattern: RE2JS, text: string): void {
  if (pattern.programSize() * text.length <= limits.regexStepsMax) return;
  throw new NodeError('expression.too_large', 'The text is too long for this regular expression.');
}
