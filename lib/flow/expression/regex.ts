// Regular expressions in linear time, behind the constructor shape that JSONata expects. The native engine never runs a flow's pattern.
import { RE2JS } from 're2js';
import { limits } from '../format/limits.ts';
import { NodeError } from '../format/node-error.ts';
import { patternSize } from './pattern-size.ts';
import { checkMatch, type Work } from './step-budget.ts';
import { tooLarge } from './value-size.ts';

export interface LinearPattern {
  /** That a match of the text may take, some 25 to 40 ns each. Whoever tests a text counts them. */
  readonly steps: (text: string) => number;
  readonly test: (text: string) => boolean;
}

/**
 * Throws `expression.syntax` for what linear time cannot do: look-around and back-references. `spend` hears before it is compiled how much work
 * that may be, see `patternSize`, and may throw.
 */
export function linearPattern(source: string, spend?: (weight: number) => void): LinearPattern {
  spend?.(patternSize(source));
  const pattern = compiled(source, 0);
  const stepsPerChar = isOnePass(pattern) ? Math.min(4, pattern.programSize()) : pattern.programSize();
  return {
    steps: (text) => stepsPerChar * text.length,
    test: (text) => pattern.matcher(text).find(),
  };
}

/** Whether each character leads to one state, as in most anchored expressions: they take the same time however large they are. */
const isOnePass = (pattern: RE2JS) => Boolean(pattern.re2().onepass);

/** Throws `expression.syntax` like `linearPattern`. */
export const checkRegExp = (literal: RegExp): void => {
  compiled(literal.source, flagsOf(literal));
};

/** What JSONata calls with `new` for each evaluation of a literal, so that one instance is one use: its matches and its time are bounded. */
export const regExpWithin = (work: Work) =>
  function LinearRegExp(literal: RegExp) {
    return linearRegExp(literal, work);
  };

function linearRegExp(literal: RegExp, work: Work) {
  const pattern = compiled(literal.source, flagsOf(literal));
  let matches = 0;
  return {
    lastIndex: 0,
    exec(text: string) {
      checkWork(pattern, text);
      checkMatch(work, pattern.programSize() * text.length);
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

function flagsOf({ flags }: RegExp): number {
  return (flags.includes('i') ? RE2JS.CASE_INSENSITIVE : 0) | (flags.includes('m') ? RE2JS.MULTILINE : 0);
}

function compiled(source: string, flags: number): RE2JS {
  try {
    return RE2JS.compile(RE2JS.translateRegExp(source), flags);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : 'not understood';
    throw new NodeError('expression.syntax', `the regular expression /${source}/ is not available: ${why}`, {
      cause,
    });
  }
}

function checkWork(pattern: RE2JS, text: string): void {
  if (pattern.programSize() * text.length <= limits.regexWorkMax) return;
  throw new NodeError('expression.too_large', 'The text is too long for this regular expression.');
}
