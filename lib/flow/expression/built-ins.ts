// The built-in functions of JSONata, each with checks of its steps and sizes, and a check of every
// intermediate result.
import jsonata from 'jsonata';
import { identify } from '../format/json-value.ts';
import { limits } from '../format/limits.ts';
import { NodeError } from '../format/node-error.ts';
import { decodeBase64, encodeBase64 } from './base64.ts';
import { dateFunctions, type FormatMillis } from './date-functions.ts';
import { digestFunctions } from './digest-functions.ts';
import { jsonFunctions } from './json-functions.ts';
import { listFunctions } from './list-functions.ts';
import type { Occasion, OwnFunction, OwnFunctions } from './own-function.ts';
import { checkFormatInteger, checkFormatNumber, checkParseInteger } from './picture-checks.ts';
import { round } from './round.ts';
import { addSlots, countSlots, countStep, type StepBudget } from './step-budget.ts';
import { boundedConcat, denied } from './syntax-tree.ts';
import { type Turns, turnsName } from './turns.ts';
import { urlFunctions } from './url-functions.ts';
import { checkedSize, markFunction, tooLarge } from './value-size.ts';

/** JSONata passes the environment of the evaluation in `this`. Its root belongs to one evaluation. */
interface Focus {
  readonly environment: { readonly base: Evaluation };
  readonly createSequence: () => unknown[];
}

interface Evaluation {
  readonly lookup: ((name: typeof budgetName) => StepBudget) &
    ((name: typeof occasionName) => Occasion) &
    ((name: typeof turnsName) => Turns);
}

/** The budget of an evaluation is bound to this name, which cannot be written in an expression. */
export const budgetName = '&budget';
/** So is what its functions return that do not depend on their arguments alone. */
export const occasionName = '&occasion';

type BuiltIn = (this: Focus, ...args: unknown[]) => unknown;

interface Definition {
  readonly _jsonata_function: true;
  readonly implementation: BuiltIn;
  readonly signature?: unknown;
  /** The number of arguments that functions such as `$map` pass. */
  readonly arity?: number;
}

const names = [
  ...['sum', 'count', 'max', 'min', 'average', 'string', 'substring', 'substringBefore', 'substringAfter'],
  ...['lowercase', 'uppercase', 'length', 'trim', 'pad', 'match', 'contains', 'replace', 'split', 'join'],
  ...['formatBase', 'formatNumber', 'formatInteger', 'parseInteger', 'number', 'floor', 'ceil', 'round'],
  ...['abs', 'sqrt', 'power', 'boolean', 'not', 'map', 'zip', 'filter', 'single', 'reduce', 'sift', 'keys'],
  ...['lookup', 'append', 'exists', 'spread', 'merge', 'reverse', 'each', 'error', 'assert', 'type', 'sort'],
  ...['distinct', 'base64encode', 'base64decode'],
  ...['encodeUrlComponent', 'encodeUrl', 'decodeUrlComponent', 'decodeUrl'],
] as const;

/** Those that JSONata does not have, or has with other limits. */
const ownFunctions = (format: FormatMillis): OwnFunctions => ({
  ...dateFunctions(format),
  ...digestFunctions,
  ...jsonFunctions,
  ...listFunctions,
  ...urlFunctions,
});

/** As JSONata writes them. */
export const ownSignatures: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(ownFunctions(String)).map(([name, { signature }]) => [name, signature]),
);

const ownNames: ReadonlySet<string> = new Set(Object.keys(ownSignatures));

/** All functions that expressions can call. */
export const callableNames: readonly string[] = [...names, ...ownNames];

/** Whether expressions can call the function. */
export const isCallable = (name: string): boolean =>
  ownNames.has(name) || names.some((known) => known === name);

let loaded: Promise<ReadonlyMap<string, unknown>> | undefined;

/**
 * All names that expressions can call. Denied names are bound to undefined, in case the check of the syntax
 * tree misses one.
 */
export function guardedBuiltIns(): Promise<ReadonlyMap<string, unknown>> {
  loaded ??= load();
  return loaded;
}

async function load(): Promise<ReadonlyMap<string, unknown>> {
  const guarded = new Map<string, unknown>();
  for (const name of denied) guarded.set(name, undefined);
  for (const name of names) guarded.set(name, guardedDefinition(name, await original(name)));
  const own = ownFunctions(await loadFormatMillis());
  for (const [name, definition] of Object.entries(own))
    guarded.set(name, await ownDefinition(name, definition));
  const text = await original('string');
  guarded.set(boundedConcat, { _jsonata_function: true, implementation: concat(text) });
  return guarded;
}

/**
 * The library does not export its functions, but an expression that consists of the name alone evaluates to
 * the definition.
 */
async function original(name: string): Promise<Definition> {
  const found: unknown = await jsonata(`$${name}`).evaluate({});
  if (isDefinition(found)) return found;
  throw new Error(`JSONata has no function $${name}: its version does not fit the guards.`);
}

const isDefinition = (value: unknown): value is Definition =>
  typeof value === 'object' && value !== null && '_jsonata_function' in value && 'implementation' in value;

/** The library does not export its signatures either, but a function of an expression has its own. */
async function ownDefinition(name: string, { signature, parameters, run }: OwnFunction): Promise<Definition> {
  const names = ['$a', '$b', '$c', '$d'].slice(0, parameters);
  const found: { readonly signature?: unknown } = await jsonata(
    `function(${names})${signature}{ 1 }`,
  ).evaluate({});
  const call = (focus: Focus, args: readonly unknown[]): unknown => {
    const { lookup } = focus.environment.base;
    return run(args, { budget: lookup(budgetName), occasion: lookup(occasionName) });
  };
  const implementation = withArity(parameters, call);
  return guardedDefinition(name, { _jsonata_function: true, implementation, signature: found.signature });
}

async function loadFormatMillis(): Promise<FormatMillis> {
  const { implementation } = await original('fromMillis');
  return (...args) => String(Reflect.apply(implementation, undefined, args));
}

function guardedDefinition(name: string, definition: Definition): Definition {
  const own = replacements[name] ?? definition.implementation;
  const before = checks[name];
  const call = (focus: Focus, args: unknown[]): unknown => {
    const budget = focus.environment.base.lookup(budgetName);
    countStep(budget);
    for (const value of args) if (typeof value === 'string') checkText(value.length);
    before?.(args, budget);
    const result = Reflect.apply(own, focus, args);
    return result instanceof Promise
      ? result.then((value) => checkResult(value, budget))
      : checkResult(result, budget);
  };
  // `$map(list, $string)` passes as many arguments as the arity says: one, as a default value has it.
  const arity = definition.implementation.length;
  const count = name === 'string' ? 2 : arity;
  const implementation = name === 'zip' ? variadic(call) : withArity(count, call);
  return { ...definition, implementation, arity };
}

function checkResult(result: unknown, budget: StepBudget): unknown {
  if (typeof result === 'string') checkText(result.length);
  countSlots(budget, result);
  return result;
}

/**
 * For partial application and callbacks, the library reads the number of parameters from the function itself.
 */
function withArity(count: number, call: (focus: Focus, args: unknown[]) => unknown): BuiltIn {
  const forms: readonly BuiltIn[] = [
    function (this: Focus) {
      return call(this, []);
    },
    function (this: Focus, a) {
      return call(this, [a]);
    },
    function (this: Focus, a, b) {
      return call(this, [a, b]);
    },
    function (this: Focus, a, b, c) {
      return call(this, [a, b, c]);
    },
    function (this: Focus, a, b, c, d) {
      return call(this, [a, b, c, d]);
    },
  ];
  const form = forms[count];
  if (form) return form;
  throw new Error(`No form for a function of ${count} parameters.`);
}

const variadic = (call: (focus: Focus, args: unknown[]) => unknown): BuiltIn =>
  function (this: Focus, ...args) {
    return call(this, args);
  };

function checkText(length: number): void {
  if (length > limits.textCharsMax) throw tooLarge(`a text of at most ${limits.textCharsMax} characters`);
}

/**
 * Checks before a call, for functions that would allocate too much memory before their result can be checked.
 */
const checks: Readonly<Record<string, (args: readonly unknown[], budget: StepBudget) => void>> = {
  pad: ([_text, width, fill]) => checkText(Math.abs(Number(width)) * Math.max(1, textLength(fill))),
  join: ([parts, separator]) => {
    if (!Array.isArray(parts)) return;
    let length = parts.length * textLength(separator);
    for (const part of parts) length += textLength(part);
    checkText(length);
  },
  replace: ([text, pattern, replacement], budget) => {
    if ((textLength(text) + 1) * (textLength(replacement) + 1) > limits.regexStepsMax)
      throw tooLarge('fewer replacements');
    // The library concatenates the result piece by piece and keeps all pieces. Matches of a regular
    // expression are counted by its `exec`.
    if (typeof text === 'string' && typeof pattern === 'string') countSlots(budget, text.split(pattern));
  },
  string: ([value, isPretty]) => {
    if (typeof value !== 'object' || value === null) return;
    // Each line of a pretty text has at least half as many characters as its value counts.
    if (checkedSize(value) > 2 * limits.textCharsMax && isPretty === true)
      throw tooLarge(`a text of at most ${limits.textCharsMax} characters`);
  },
  formatNumber: checkFormatNumber,
  formatInteger: checkFormatInteger,
  parseInteger: checkParseInteger,
};

/** Replacements for functions of the library that take quadratic time, or give wrong results. */
const replacements: Readonly<Record<string, BuiltIn>> = {
  distinct(value) {
    if (!Array.isArray(value) || value.length <= 1) return value;
    checkedSize(value);
    const known = new Map<unknown, unknown>();
    for (const item of value) {
      const identity = identify(item);
      if (!known.has(identity)) known.set(identity, item);
    }
    const kept = 'sequence' in value ? this.createSequence() : [];
    for (const item of known.values()) kept.push(item);
    return kept;
  },
  base64encode: encodeBase64,
  base64decode: decodeBase64,
  round,
};

const textLength = (value: unknown) => (typeof value === 'string' ? value.length : 0);

/** `a & b`: each side may be missing or any value, as for the operator of JSONata. */
function concat(text: Definition): BuiltIn {
  const shown = (focus: Focus, value: unknown): string => {
    if (value === undefined) return '';
    if (typeof value === 'string') return value;
    if (typeof value === 'object' && value !== null) checkedSize(value);
    return String(Reflect.apply(text.implementation, focus, [value]) ?? '');
  };
  return function (this: Focus, a, b, ...more) {
    if (more.length > 0) throw new NodeError('expression.error', 'The operator & takes two sides.');
    const left = shown(this, a);
    const right = shown(this, b);
    checkText(left.length + right.length);
    return left + right;
  };
}

/**
 * The library calls `onExit` with the result of every node of the syntax tree. A result that is too large as
 * a tree, too deep, or one step too many ends the evaluation. Without this check, values that share parts
 * would grow exponentially. The number of nodes that have begun and not ended is bounded by the depth of the
 * recursion.
 */
export function watchResults(expression: jsonata.Expression, together: ReadonlySet<unknown>): void {
  const onExit = (
    part: { readonly type: string; readonly thunk?: boolean },
    _input: unknown,
    environment: Focus['environment'],
    result: unknown,
  ) => {
    const budget = environment.base.lookup(budgetName);
    countStep(budget);
    if (together.has(part)) environment.base.lookup(turnsName).leave();
    if (typeof result === 'string') checkText(result.length);
    if (typeof result !== 'object' || result === null || readsOnly.has(part.type)) return;
    const slots = functionSlots.get(part.type);
    if (slots !== undefined) {
      markFunction(result);
      // The function of a tail call is discarded immediately.
      return part.thunk ? undefined : addSlots(budget, slots);
    }
    checkedSize(result);
    if (part.type !== 'function') countSlots(budget, result);
  };
  const binder: SymbolBinder = expression;
  binder.assign(Symbol.for('jsonata.__evaluate_exit'), onExit);
  if (together.size === 0) return;
  const onEntry = (part: object, _input: unknown, environment: Focus['environment']) =>
    together.has(part) ? environment.base.lookup(turnsName).enter() : undefined;
  binder.assign(Symbol.for('jsonata.__evaluate_entry'), onEntry);
}

/** The library accepts symbols, which its types do not declare. */
interface SymbolBinder {
  assign(name: string | symbol, value: unknown): void;
}

/** These nodes only return results that another node has made, where they were checked. */
const readsOnly = new Set(['variable', 'name', 'block', 'condition', 'bind']);

/**
 * The nodes that create functions, with the memory of each function in slots: 0.6 KB with its scope, and
 * about 14 KB for a partial application, for which the library parses a definition.
 */
const functionSlots: ReadonlyMap<string, number> = new Map([
  ['lambda', 16],
  ['partial', 200],
]);
