// `merge` of `parallel` and `map`: how variables of the state that their scopes set are merged into the state
// around them. The order is that of branches and items, so the result does not depend on which ends first.
import type { Json, JsonObject } from '#lib/json/json.ts';
import type { MergedVariables, NodeContext, ScopeEnd } from '../engine/node-context.ts';
import { countWork, createBudget, type StepBudget } from '../expression/step-budget.ts';
import { isList, isObject } from '../format/json-value.ts';
import { NodeError } from '../format/node-error.ts';
import { type MergeRule, type Merges, mergeRules } from './merge-field.ts';

export const isMergeRule = (rule: Json): rule is MergeRule => mergeRules.some((known) => known === rule);

interface Rule {
  /** What the variable begins with in each scope; undefined: it has no value there. */
  readonly neutral: Json | undefined;
  /** What it takes, for messages. Undefined takes any value. */
  readonly takes: { readonly what: string; readonly test: (value: Json) => boolean } | undefined;
  /** What it begins with in the flow, for the check. */
  readonly begins: Rule['takes'];
  /** Expects at least one value. */
  readonly merge: (values: readonly Json[]) => Json;
}

const isText = (value: Json): value is string => typeof value === 'string';
const isNumber = (value: Json): value is number => typeof value === 'number';
const lists = { what: 'a list', test: (value: Json) => isList(value) };
const objects = { what: 'an object', test: isObject };
const numbers = { what: 'a number', test: isNumber };
const comparables = { what: 'a number or a text', test: (value: Json) => isNumber(value) || isText(value) };

export const rules: Readonly<Record<MergeRule, Rule>> = {
  append: {
    neutral: [],
    takes: undefined,
    begins: lists,
    merge: (values) => values.flatMap((value) => (isList(value) ? [...value] : [value])),
  },
  sum: {
    neutral: 0,
    takes: numbers,
    begins: numbers,
    merge: (values) => values.filter(isNumber).reduce((sum, value) => sum + value, 0),
  },
  min: {
    neutral: undefined,
    takes: comparables,
    begins: comparables,
    merge: (values) => extreme(values, (a, b) => a < b),
  },
  max: {
    neutral: undefined,
    takes: comparables,
    begins: comparables,
    merge: (values) => extreme(values, (a, b) => a > b),
  },
  merge: {
    neutral: {},
    takes: objects,
    begins: objects,
    merge: (values) =>
      Object.fromEntries(values.flatMap((value) => (isObject(value) ? Object.entries(value) : []))),
  },
  last: { neutral: undefined, takes: undefined, begins: undefined, merge: (values) => values.at(-1) ?? null },
};

const extreme = (
  values: readonly Json[],
  isBetter: (a: number | string, b: number | string) => boolean,
): Json =>
  values
    .filter((value) => isNumber(value) || isText(value))
    .reduce((best, value) => (isBetter(value, best) ? value : best));

/** What the scopes of one execution begin with, for `enter`. Undefined without `merge`. */
export function startMerge({ at }: NodeContext, merges: Merges | undefined): MergedVariables | undefined {
  if (!merges) return undefined;
  const names = Object.keys(merges);
  const own = names.flatMap((name): (readonly [string, Json])[] => {
    const { neutral } = rules[merges[name] ?? 'last'];
    return neutral === undefined ? [] : [[name, neutral]];
  });
  const around = Object.entries(at.scope.state).filter(([name]) => !Object.hasOwn(merges, name));
  return { state: Object.fromEntries([...around, ...own]), names };
}

/**
 * The variables after the node: what they were before, and then what the scopes that completed have set, in
 * their order. Throws `merge.wrong_type`, and `expression.timeout` if there is too much to merge.
 */
export function mergeEnds(
  { at }: NodeContext,
  merges: Merges | undefined,
  ends: readonly (ScopeEnd | undefined)[],
): JsonObject | undefined {
  if (!merges) return undefined;
  const merged = Object.entries(merges).flatMap(([name, rule]): (readonly [string, Json])[] => {
    const before = at.scope.state[name];
    const set = ends.flatMap((end) => readAssigned(end, name));
    if (set.length === 0) return [];
    const values = before === undefined || before === null ? set : [before, ...set];
    countAll(createBudget(at.cpuMs), values);
    return [[name, mergeValues(name, rule, values)]];
  });
  return Object.fromEntries(merged);
}

function readAssigned(end: ScopeEnd | undefined, name: string): readonly Json[] {
  const assigned = end?.status === 'completed' ? end.assigned : undefined;
  const value = assigned && Object.hasOwn(assigned, name) ? assigned[name] : undefined;
  return value === undefined ? [] : [value];
}

function countAll(budget: StepBudget, values: readonly Json[]): void {
  for (const value of values)
    countWork(budget, isList(value) ? value.length : isObject(value) ? Object.keys(value).length : 1);
}

function mergeValues(name: string, rule: MergeRule, values: readonly Json[]): Json {
  const { takes, merge } = rules[rule];
  for (const value of values) if (takes && !takes.test(value)) throw wrongType(name, rule, value, takes.what);
  const other = values.find((value) => typeof value !== typeof values[0]);
  if (takes === comparables && other !== undefined)
    throw wrongType(name, rule, other, `${typeof values[0]}s only`);
  return merge(values);
}

const wrongType = (name: string, rule: MergeRule, value: Json, expected: string) =>
  new NodeError(
    'merge.wrong_type',
    `merge: "${rule}" of state.${name} expected ${expected}, got ${describeKind(value)}.`,
  );

export function describeKind(value: Json): string {
  if (value === null) return 'null';
  if (isList(value)) return 'a list';
  if (isObject(value)) return 'an object';
  return typeof value === 'boolean' ? 'true or false' : `a ${isText(value) ? 'text' : 'number'}`;
}
