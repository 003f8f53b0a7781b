// JSONata's own functions, each behind a guard of work and size, and a watch over every intermediate result.
import jsonata from 'jsonata';
import { sortedText } from '../format/json-value.ts';
import { limits } from '../format/limits.ts';
import { NodeError } from '../format/node-error.ts';
import { addSlots, takeSlots, takeStep, type Work } from './step-budget.ts';
import { boundedConcat, denied } from './syntax-tree.ts';
import { checkedSize, markFunction, tooLarge } from './value-size.ts';

/** How the library calls a function: `this` carries the environment, whose root belongs to one evaluation. */
interface Focus {
  readonly environment: { readonly base: Evaluation };
  readonly createSequence: () => unknown[];
}

interface Evaluation {
  readonly lookup: (name: typeof workOf) => Work;
}

/** The work of an evaluation is bound to it under this name, which cannot be written in an expression. */
export const workOf = '&work';

type BuiltIn = (this: Focus, ...args: unknown[]) => unknown;

interface Definition {
  readonly _jsonata_function: true;
  readonly implementation: BuiltIn;
  readonly signature?: unknown;
}

const names = [
  ...['sum', 'count', 'max', 'min', 'average', 'string', 'substring', 'substringBefore', 'substringAfter'],
  ...['lowercase', 'uppercase', 'length', 'trim', 'pad', 'match', 'contains', 'replace', 'split', 'join'],
  ...[
    'formatBase',
    'number',
    'floor',
    'ceil',
    'round',
    'abs',
    'sqrt',
    'power',
    'boolean',
    'not',
    'map',
    'zip',
  ],
  ...[
    'filter',
    'single',
    'reduce',
    'sift',
    'keys',
    'lookup',
    'append',
    'exists',
    'spread',
    'merge',
    'reverse',
  ],
  ...['each', 'error', 'assert', 'type', 'sort', 'distinct', 'base64encode', 'base64decode'],
  ...['encodeUrlComponent', 'encodeUrl', 'decodeUrlComponent', 'decodeUrl'],
] as const;

/** Whether an expression can call it: one of these, or a clock, which each evaluation sets. */
export const isCallable = (name: string): boolean =>
  name === 'now' || name === 'millis' || names.some((known) => known === name);

let loaded: Promise<ReadonlyMap<string, unknown>> | undefined;

/** Every name an expression can call; the denied ones are bound to nothing, in case the syntax tree hides one. */
export function guardedBuiltIns(): Promise<ReadonlyMap<string, unknown>> {
  loaded ??= load();
  return loaded;
}

async function load(): Promise<ReadonlyMap<string, unknown>> {
  const guarded = new Map<string, unknown>();
  for (const name of denied) guarded.set(name, undefined);
  for (const name of names) guarded.set(name, guardedDefinition(name, await original(name)));
  const text = await original('string');
  guarded.set(boundedConcat, { _jsonata_function: true, implementation: concat(text) });
  return guarded;
}

/** The library does not export its functions, but an expression that is only the name gives the definition. */
async function original(name: string): Promise<Definition> {
  const found: unknown = await jsonata(`$${name}`).evaluate({});
  if (isDefinition(found)) return found;
  throw new Error(`JSONata has no function $${name}: its version does not fit the guards.`);
}

const isDefinition = (value: unknown): value is Definition =>
  typeof value === 'object' && value !== null && '_jsonata_function' in value && 'implementation' in value;

function guardedDefinition(name: string, definition: Definition): Definition {
  const own = replacements[name] ?? definition.implementation;
  const before = checks[name];
  const call = (focus: Focus, args: unknown[]): unknown => {
    const work = focus.environment.base.lookup(workOf);
    takeStep(work);
    for (const value of args) if (typeof value === 'string') checkText(value.length);
    before?.(args, work);
    const result = Reflect.apply(own, focus, args);
    return result instanceof Promise
      ? result.then((value) => checkedResult(value, work))
      : checkedResult(result, work);
  };
  const implementation = name === 'zip' ? variadic(call) : withArity(definition.implementation.length, call);
  return { ...definition, implementation };
}

function checkedResult(result: unknown, work: Work): unknown {
  if (typeof result === 'string') checkText(result.length);
  takeSlots(work, result);
  return result;
}

/** The library reads parameter names and their number from the function itself, for partial application and callbacks. */
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

/** What has to be known before the work begins, because the work itself would take the memory. */
const checks: Readonly<Record<string, (args: readonly unknown[], work: Work) => void>> = {
  pad: ([_text, width, fill]) => checkText(Math.abs(Number(width)) * Math.max(1, lengthOf(fill))),
  join: ([parts, separator]) => {
    if (!Array.isArray(parts)) return;
    let length = parts.length * lengthOf(separator);
    for (const part of parts) length += lengthOf(part);
    checkText(length);
  },
  replace: ([text, pattern, replacement], work) => {
    if ((lengthOf(text) + 1) * (lengthOf(replacement) + 1) > limits.regexWorkMax)
      throw tooLarge('less to replace');
    // The library puts the text together piece by piece, and all pieces stay. Matches of a regular expression are counted there.
    if (typeof text === 'string' && typeof pattern === 'string') takeSlots(work, text.split(pattern));
  },
  string: ([value]) => {
    if (typeof value === 'object' && value !== null) checkedSize(value);
  },
};

/** Written anew where the library's own way takes quadratic time. */
const replacements: Readonly<Record<string, BuiltIn>> = {
  distinct(value) {
    if (!Array.isArray(value) || value.length <= 1) return value;
    checkedSize(value);
    const known = new Map<unknown, unknown>();
    for (const item of value) {
      const identity = identityOf(item);
      if (!known.has(identity)) known.set(identity, item);
    }
    const kept = 'sequence' in value ? this.createSequence() : [];
    for (const item of known.values()) kept.push(item);
    return kept;
  },
};

/** Equal for equal JSON values whatever the order of their keys; values of different types never meet. */
function identityOf(value: unknown): unknown {
  if (typeof value === 'string') return `text ${value}`;
  return typeof value === 'object' && value !== null ? sortedText(value) : value;
}

const lengthOf = (value: unknown) => (typeof value === 'string' ? value.length : 0);

/** `a & b`: either side may be missing or any value, as in the operator it stands for. */
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
 * Every node of the syntax tree reports its result here: one that is too heavy as a tree, too deep, or one too many for the evaluation as a
 * whole ends it. Without this, shared parts grow exponentially. What is begun and not yet reported is bounded by the depth of the recursion.
 */
export function watchResults(expression: jsonata.Expression): void {
  const onExit = (
    part: { readonly type: string; readonly thunk?: boolean },
    _input: unknown,
    environment: Focus['environment'],
    result: unknown,
  ) => {
    const work = environment.base.lookup(workOf);
    takeStep(work);
    if (typeof result === 'string') checkText(result.length);
    if (typeof result !== 'object' || result === null || readsOnly.has(part.type)) return;
    const slots = functionSlots.get(part.type);
    if (slots !== undefined) {
      markFunction(result);
      // That of a tail call is gone as soon as it is made.
      return part.thunk ? undefined : addSlots(work, slots);
    }
    checkedSize(result);
    if (part.type !== 'function') takeSlots(work, result);
  };
  const binder: SymbolBinder = expression;
  binder.assign(Symbol.for('jsonata.__evaluate_exit'), onExit);
}

/** The library takes symbols here, which its types leave out. */
interface SymbolBinder {
  assign(name: string | symbol, value: unknown): void;
}

/** Their results are made elsewhere and were looked at there. So are those of functions, but for what their weight is together. */
const readsOnly = new Set(['variable', 'name', 'block', 'condition', 'bind']);

/** What makes functions, with the memory of each: 0.6 KB with its scope, and some 14 KB that the library parses for a partial application. */
const functionSlots: ReadonlyMap<string, number> = new Map([
  ['lambda', 16],
  ['partial', 200],
]);
