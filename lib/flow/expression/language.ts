// JSONata with restrictions: which expressions a flow can have, and which limits end their evaluation. Only
// this folder imports the library.
import jsonata from 'jsonata';
import type { Json } from '#lib/json/json.ts';
import { truncate } from '#lib/truncate.ts';
import { limits } from '../format/limits.ts';
import { NodeError } from '../format/node-error.ts';
import { joinAnswerMessage } from './answer-message.ts';
import { budgetName, guardedBuiltIns, isCallable, occasionName, watchResults } from './built-ins.ts';
import { toJsonValue } from './clean.ts';
import { type Allowance, AllowancePassed, quoteExpression } from './compute.ts';
import type { EvaluateWithin, RenderAt } from './evaluation.ts';
import { expressionSize } from './expression-size.ts';
import type { Occasion } from './own-function.ts';
import { findReferences, type References } from './references.ts';
import { boundedRegExp } from './regex.ts';
import { closeBudget, createBudget } from './step-budget.ts';
import { describeSyntaxFault } from './syntax-faults.ts';
import { secureTree } from './syntax-tree.ts';
import { createTurns, findTogether, turnsName } from './turns.ts';

/**
 * Parses an expression and refuses functions that are not available. Throws a NodeError `expression.syntax`
 * or `expression.denied`. It is also called when a flow is registered, so that no run meets such a mistake.
 * `spend` is called with the size of the expression before it is parsed, and may throw.
 */
export function parseExpression(source: string, spend: (units: number) => void = () => {}): ParsedExpression {
  if (source.length > limits.expressionCharsMax) {
    throw new NodeError('expression.syntax', `expected at most ${limits.expressionCharsMax} characters`);
  }
  if (source === '') throw new NodeError('expression.syntax', 'expected an expression between "{{" and "}}"');
  const spendBounded = limitSize(spend);
  spendBounded(expressionSize(source));
  const options: jsonata.JsonataOptions = {
    stack: limits.expressionStack,
    sequence: limits.sequenceItemsMax,
  };
  const parsed = parseSource(source, options);
  const tree = parsed.ast();
  const { paths, steps, variables } = findReferences(tree);
  for (const path of steps) joinAnswerMessage(path);
  secureTree(tree, (size) => spendBounded(size * patternUnits));
  return { parsed, options, paths, unknown: [...variables].filter((name) => !isCallable(name)) };
}

/** Parser units for one unit of a regular expression: 2.5 µs. */
const patternUnits = 100;

/** Limits the size of one expression, for every caller. */
function limitSize(spend: (units: number) => void): (units: number) => void {
  let left: number = limits.expressionSizeMax;
  return (units) => {
    left -= units;
    if (left < 0)
      throw new NodeError(
        'expression.syntax',
        'the expression takes too much work to be parsed: expected shorter paths, smaller regular expressions and fewer `??` and `?:` inside one another',
      );
    spend(units);
  };
}

export interface ParsedExpression extends Pick<References, 'paths'> {
  readonly parsed: jsonata.Expression;
  /** The library reads the options again at the beginning of each evaluation. */
  readonly options: jsonata.JsonataOptions;
  /** Variables and functions, without their `$`, that neither the expression nor the language defines. */
  readonly unknown: readonly string[];
}

/** Returns the function that compiles an expression of a flow that has passed the checks. */
export async function openLanguage(): Promise<(source: string) => EvaluateWithin> {
  const builtIns = await guardedBuiltIns();
  return (source) => compileExpression(source, builtIns);
}

function compileExpression(source: string, builtIns: ReadonlyMap<string, unknown>): EvaluateWithin {
  const { parsed, options } = parseExpression(source);
  for (const [name, builtIn] of builtIns) parsed.assign(name, builtIn);
  watchResults(parsed, findTogether(parsed.ast()));
  return async (at, allowance) => {
    try {
      return await oneAtATime(at, () => evaluateParsed(parsed, options, at, allowance));
    } catch (error) {
      throw toNodeError(error, source);
    }
  };
}

async function evaluateParsed(
  parsed: jsonata.Expression,
  options: jsonata.JsonataOptions,
  at: RenderAt,
  allowance: Allowance | undefined,
): Promise<Json> {
  const budget = createBudget(at.cpuMs, allowance);
  options.stack = limits.expressionStack;
  const RegexEngine = boundedRegExp(budget);
  if (isRegExpConstructor(RegexEngine)) options.RegexEngine = RegexEngine;
  try {
    const turns = createTurns(options, budget);
    const occasion = toOccasion(at);
    const own = { [budgetName]: budget, [occasionName]: occasion, [turnsName]: turns };
    const value = toJsonValue(await parsed.evaluate(at.scope, own));
    if (occasion.kept > 0) at.noteKept?.(occasion.kept);
    return value;
  } finally {
    closeBudget(budget);
    allowance?.spend(at.cpuMs() - budget.cpuMsAtStart);
  }
}

let turn: Promise<unknown> = Promise.resolve();

/**
 * Evaluates one expression at a time. CPU time is measured for the thread, so that evaluations of concurrent
 * scopes would be charged for each other.
 */
function oneAtATime<T>(at: RenderAt, evaluate: () => Promise<T>): Promise<T> {
  const mine = turn.then(async () => {
    await at.pace();
    return await evaluate();
  });
  turn = mine.catch(() => undefined);
  return mine;
}

/** JSONata calls the constructor with `new` and uses only `exec` and `lastIndex` of the result. */
function isRegExpConstructor(value: unknown): value is RegExpConstructor {
  return typeof value === 'function';
}

function parseSource(source: string, options: jsonata.JsonataOptions): jsonata.Expression {
  try {
    return jsonata(source, options);
  } catch (error) {
    if (error instanceof RangeError)
      throw new NodeError('expression.syntax', 'the expression is nested too deeply');
    throw new NodeError('expression.syntax', describeSyntaxFault(error) ?? describeError(error));
  }
}

/** An execution that is repeated computes the same values. */
const toOccasion = ({ scope: { run }, execution }: RenderAt): Occasion => {
  const { key = '', startedAt: time = Date.parse(run.started_at), evaluations = 0 } = execution ?? {};
  return { time, seed: `${run.id} ${key} ${time} ${evaluations}`, derived: 0, kept: 0 };
};

const codes: Readonly<Record<string, string>> = {
  D1011: 'expression.too_deep',
  D2014: 'expression.too_large',
  D2015: 'expression.too_large',
};

function toNodeError(error: unknown, source: string): Error {
  if (error instanceof AllowancePassed) return error;
  if (error instanceof NodeError)
    return new NodeError(error.code, `${error.message} In ${quoteExpression(source)}.`);
  if (error instanceof RangeError)
    return new NodeError('expression.too_large', `Too much work in ${quoteExpression(source)}.`);
  const code = hasCode(error) ? codes[error.code] : undefined;
  return new NodeError(code ?? 'expression.error', `${describeError(error)} In ${quoteExpression(source)}.`, {
    cause: error,
  });
}

const hasCode = (error: unknown): error is { readonly code: string } =>
  typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string';

/** The library throws plain objects. Their messages can quote a value, so they are shortened. */
function describeError(error: unknown): string {
  const known = typeof error === 'object' && error !== null && 'message' in error ? error.message : undefined;
  const text = typeof known === 'string' && known !== '' ? known : 'The expression could not be evaluated';
  const short = text.length > 200 ? `${truncate(text, 200)}…` : text;
  return /[.!?…]$/.test(short) ? short : `${short}.`;
}
