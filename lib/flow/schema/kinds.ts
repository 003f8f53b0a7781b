// Types and equality of JSON values as JSON Schema defines them (2020-12, sections 4.2.2 and 6.1.1).
// Traversing a value counts steps.
import type { Json, JsonObject } from '#lib/json/json.ts';
import { isList, isObject } from '../format/json-value.ts';
import { memberUnits, type SchemaBudget, spendSteps, textUnits } from './step-budget.ts';

export function isOfType(value: Json, name: Json): boolean {
  if (name === 'integer') return Number.isInteger(value);
  return readType(value) === name;
}

export function readType(value: Json): string {
  if (value === null) return 'null';
  return isList(value) ? 'array' : typeof value;
}

/**
 * Results that one validation needs repeatedly: the names of large objects, and which lists have no duplicate
 * items.
 */
export interface ValidationCache {
  readonly budget: SchemaBudget;
  readonly names: Map<JsonObject, readonly string[]>;
  readonly unique: Map<readonly Json[], boolean>;
}

export function listNames(object: JsonObject, { budget, names }: ValidationCache): readonly string[] {
  const known = names.get(object);
  if (known) return known;
  const found = Object.keys(object);
  spendSteps(budget, 1 + found.length * memberUnits);
  if (found.length > sizeWorthKeeping) names.set(object, found);
  return found;
}

const sizeWorthKeeping = 32;

export function isEqual(a: Json, b: Json, known: ValidationCache): boolean {
  const isSame = a === b;
  if (typeof a === 'string' && typeof b === 'string')
    spendSteps(known.budget, a.length === b.length ? 1 + textUnits(a) : 1);
  else spendSteps(known.budget, 1);
  return isSame || (isList(a) ? isEqualList(a, b, known) : isEqualObject(a, b, known));
}

const isEqualList = (a: readonly Json[], b: Json, known: ValidationCache) =>
  isList(b) && a.length === b.length && a.every((item, index) => isEqual(item, b[index] ?? null, known));

function isEqualObject(a: Json, b: Json, known: ValidationCache): boolean {
  if (!isObject(a) || !isObject(b)) return false;
  const names = listNames(a, known);
  if (names.length !== listNames(b, known).length) return false;
  spendSteps(known.budget, names.length * memberUnits);
  return names.every((name) => Object.hasOwn(b, name) && isEqual(a[name] ?? null, b[name] ?? null, known));
}

/** Sorts instead of hashing, because items can be chosen so that their hashes collide. */
export function isUnique(list: readonly Json[], known: ValidationCache): boolean {
  if (list.length < 2) return true;
  const before = known.unique.get(list);
  if (before !== undefined) return before;
  spendSteps(known.budget, list.length * sortUnits);
  const texts = list.map((item) => canonicalText(item, known.budget)).sort();
  const found = texts.every((text, index) => index === 0 || text !== texts[index - 1]);
  if (list.length > sizeWorthKeeping) known.unique.set(list, found);
  return found;
}

/** Sorting ten thousand items compares each about fourteen times. */
const sortUnits = 24;

/** The same text for equal values, whatever the order of their names. */
function canonicalText(value: Json, budget: SchemaBudget): string {
  if (typeof value === 'string') {
    spendSteps(budget, 4 + (value.length >> 2));
    return JSON.stringify(value);
  }
  spendSteps(budget, 4);
  if (isList(value)) return `[${value.map((item) => canonicalText(item, budget)).join()}]`;
  if (!isObject(value)) return String(value === 0 ? 0 : value);
  const names = Object.keys(value).sort();
  spendSteps(budget, names.length * sortUnits);
  return `{${names.map((name) => `${canonicalText(name, budget)}:${canonicalText(value[name] ?? null, budget)}`).join()}}`;
}

/** Number of Unicode code points: a surrogate pair is one character. */
export function countChars(text: string, budget: SchemaBudget): number {
  spendSteps(budget, 1 + 2 * textUnits(text));
  let pairs = 0;
  for (let index = 1; index < text.length; index++)
    if (isLow(text.charCodeAt(index)) && isHigh(text.charCodeAt(index - 1))) pairs++;
  return text.length - pairs;
}

const isHigh = (unit: number) => unit >= 0xd800 && unit <= 0xdbff;
const isLow = (unit: number) => unit >= 0xdc00 && unit <= 0xdfff;
