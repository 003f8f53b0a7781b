// JSONata behind guards: what a flow's expressions can say, and what stops them. Only this folder knows the language's library.
import jsonata from 'jsonata';
import type { Json } from '#lib/json/json.ts';
import { truncate } from '#lib/truncate.ts';
import { limits } from '../format/limits.ts';
import { NodeError } from '../format/node-error.ts';
import { guardedBuiltIns, isCallable, watchResults, workOf } from './built-ins.ts';
import { asJsonValue } from './clean.ts';
import { type Allowance, AllowancePassed, quoted } from './compute.ts';
import type { EvaluateWithin, RenderAt } from './evaluation.ts';
import { expressionSize } from './expression-size.ts';
import { type References, referencesIn } from './references.ts';
import { regExpWithin } from './regex.ts';
import { beginWork, endWork } from './step-budget.ts';
import { secureTree } from './syntax-tree.ts';

/**
 * Parses an expression and refuses what is not available. Throws NodeError `expression.syntax` or `expression.denied`; also called when a
 * flow is registered, so that no mistake of this kind is left for the run. `spend` hears how much work it is before it is done, and may throw.
 */
export function parseExpression(source: string, spend: (units: number) => void = () => {}): ParsedExpression {
  if (source.length > limits.expressionCharsMax) {
    throw new NodeError('expression.syntax', `expected at most ${limits.expressionCharsMax} characters`);
  }
  if (source === '') throw new NodeError('expression.syntax', 'expected an expression between "{{" and "}}"');
  const spent = bounded(spend);
  spent(expressionSize(source));
  const options: jsonata.JsonataOptions = {
    stack: limits.expressionStack,
    sequence: limits.sequenceItemsMax,
  };
  const parsed = parsedSource(source, options);
  const tree = parsed.ast();
  const { paths, variables } = referencesIn(tree);
  secureTree(tree, (weight) => spent(weight * patternUnits));
  return { parsed, options, paths, unknown: [...variables].filter((name) => !isCallable(name)) };
}

/** 2.5 µs. */
const patternUnits = 100;

/** No expression alone takes long to parse, whoever parses it. */
function bounded(spend: (units: number) => void): (units: number) => void {
  let left: number = limits.expressionWeightMax;
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
  /** The library reads them anew as each evaluation begins. */
  readonly options: jsonata.JsonataOptions;
  /** Variables and functions, without their `$`, that neither the expression nor the language has. */
  readonly unknown: readonly string[];
}

/** Gives what compiles an expression of a flow that has passed the checks. */
export async function openLanguage(): Promise<(source: string) => EvaluateWithin> {
  const builtIns = await guardedBuiltIns();
  return (source) => compileExpression(source, builtIns);
}

function compileExpression(source: string, builtIns: ReadonlyMap<string, unknown>): EvaluateWithin {
  const { parsed, options } = parseExpression(source);
  for (const [name, builtIn] of builtIns) parsed.assign(name, builtIn);
  watchResults(parsed);
  return async (at, allowance) => {
    try {
      return await inTurn(at, () => evaluated(parsed, options, at, allowance));
    } catch (error) {
      throw failureOf(error, source);
    }
  };
}

async function evaluated(
  parsed: jsonata.Expression,
  options: jsonata.JsonataOptions,
  at: RenderAt,
  allowance: Allowance | undefined,
): Promise<Json> {
  const work = beginWork(at.cpuMs, allowance);
  const RegexEngine = regExpWithin(work);
  if (isRegExpConstructor(RegexEngine)) options.RegexEngine = RegexEngine;
  try {
    return asJsonValue(await parsed.evaluate(at.scope, { ...frozenTime(at), [workOf]: work }));
  } finally {
    endWork(work);
    allowance?.spend(at.cpuMs() - work.cpuMsAtStart);
  }
}

let turn: Promise<unknown> = Promise.resolve();

/** One evaluation at a time: the CPU time is that of the thread, so expressions of scopes that run beside each other would use up each other's. */
function inTurn<T>(at: RenderAt, evaluate: () => Promise<T>): Promise<T> {
  const mine = turn.then(async () => {
    await at.pace();
    return await evaluate();
  });
  turn = mine.catch(() => undefined);
  return mine;
}

/** JSONata calls it with `new` and uses `exec` and `lastIndex` of the result, nothing else. */
function isRegExpConstructor(value: unknown): value is RegExpConstructor {
  return typeof value === 'function';
}

function parsedSource(source: string, options: jsonata.JsonataOptions): jsonata.Expression {
  try {
    return jsonata(source, options);
  } catch (error) {
    if (error instanceof RangeError)
      throw new NodeError('expression.syntax', 'the expression is nested too deeply');
    throw new NodeError('expression.syntax', messageOf(error));
  }
}

/** The clock of an expression stands at the start of the run, so that a resumed run computes what the first one did. */
const frozenTime = ({ scope }: RenderAt) => ({
  now: () => scope.run.started_at,
  millis: () => Date.parse(scope.run.started_at),
});

const codes: Readonly<Record<string, string>> = {
  D1011: 'expression.too_deep',
  D2014: 'expression.too_large',
  D2015: 'expression.too_large',
};

function failureOf(error: unknown, source: string): Error {
  if (error instanceof AllowancePassed) return error;
  if (error instanceof NodeError) return new NodeError(error.code, `${error.message} In ${quoted(source)}.`);
  if (error instanceof RangeError)
    return new NodeError('expression.too_large', `Too much work in ${quoted(source)}.`);
  const code = isCoded(error) ? codes[error.code] : undefined;
  return new NodeError(code ?? 'expression.error', `${messageOf(error)} In ${quoted(source)}.`, {
    cause: error,
  });
}

const isCoded = (error: unknown): error is { readonly code: string } =>
  typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string';

/** The library throws plain objects; its messages may quote a value, so they are kept short. */
function messageOf(error: unknown): string {
  const known = typeof error === 'object' && error !== null && 'message' in error ? error.message : undefined;
  const text = typeof known === 'string' && known !== '' ? known : 'The expression could not be evaluated';
  const short = text.length > 200 ? `${truncate(text, 200)}…` : text;
  return /[.!?…]$/.test(short) ? short : `${short}.`;
}
