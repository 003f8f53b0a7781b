// Types and equality of JSON values as JSON Schema sees them (2020-12, sections 4.2.2 and 6.1.1). What walks a value counts its work.
import type { Json, JsonObject } from '#lib/json/json.ts';
import { isList, isObject } from '../format/json-value.ts';
import { memberUnits, type SchemaSteps, spendSteps, textUnits } from './step-budget.ts';

export function isOfType(value: Json, name: Json): boolean {
  if (name === 'integer') return Number.isInteger(value);
  return kindOf(value) === name;
}

export function kindOf(value: Json): string {
  if (value === null) return 'null';
  return isList(value) ? 'array' : typeof value;
}

/** What one evaluation looks at again and again, worked out once: names of large objects, and which lists have no item twice. */
export interface Known {
  readonly work: SchemaSteps;
  readonly names: Map<JsonObject, readonly string[]>;
  readonly unique: Map<readonly Json[], boolean>;
}

export function namesOf(object: JsonObject, { work, names }: Known): readonly string[] {
  const known = names.get(object);
  if (known) return known;
  const found = Object.keys(object);
  spendSteps(work, 1 + found.length * memberUnits);
  if (found.length > sizeWorthKeeping) names.set(object, found);
  return found;
}

const sizeWorthKeeping = 32;

export function isEqual(a: Json, b: Json, known: Known): boolean {
  const isSame = a === b;
  if (typeof a === 'string' && typeof b === 'string')
    spendSteps(known.work, a.length === b.length ? 1 + textUnits(a) : 1);
  else spendSteps(known.work, 1);
  return isSame || (isList(a) ? isEqualList(a, b, known) : isEqualObject(a, b, known));
}

const isEqualList = (a: readonly Json[], b: Json, known: Known) =>
  isList(b) && a.length === b.length && a.every((item, index) => isEqual(item, b[index] ?? null, known));

function isEqualObject(a: Json, b: Json, known: Known): boolean {
  if (!isObject(a) || !isObject(b)) return false;
  const names = namesOf(a, known);
  if (names.length !== namesOf(b, known).length) return false;
  spendSteps(known.work, names.length * memberUnits);
  return names.every((name) => Object.hasOwn(b, name) && isEqual(a[name] ?? null, b[name] ?? null, known));
}

/** Sorted and not hashed: no choice of items can make that slow, as it can make them collide. */
export function isUnique(list: readonly Json[], known: Known): boolean {
  if (list.length < 2) return true;
  const before = known.unique.get(list);
  if (before !== undefined) return before;
  spendSteps(known.work, list.length * sortUnits);
  const texts = list.map((item) => canonicalText(item, known.work)).sort();
  const found = texts.every((text, index) => index === 0 || text !== texts[index - 1]);
  if (list.length > sizeWorthKeeping) known.unique.set(list, found);
  return found;
}

/** One item among ten thousand is compared some fourteen times. */
const sortUnits = 24;

/** The same for equal values, whatever the order of their names. */
function canonicalText(value: Json, work: SchemaSteps): string {
  if (typeof value === 'string') {
    spendSteps(work, 4 + (value.length >> 2));
    return JSON.stringify(value);
  }
  spendSteps(work, 4);
  if (isList(value)) return `[${value.map((item) => canonicalText(item, work)).join()}]`;
  if (!isObject(value)) return String(value === 0 ? 0 : value);
  const names = Object.keys(value).sort();
  spendSteps(work, names.length * sortUnits);
  return `{${names.map((name) => `${canonicalText(name, work)}:${canonicalText(value[name] ?? null, work)}`).join()}}`;
}

/** Characters as a reader counts them: one that takes two code units is one. */
export function charsIn(text: string, work: SchemaSteps): number {
  spendSteps(work, 1 + 2 * textUnits(text));
  let pairs = 0;
  for (let index = 1; index < text.length; index++)
    if (isLow(text.charCodeAt(index)) && isHigh(text.charCodeAt(index - 1))) pairs++;
  return text.length - pairs;
}

const isHigh = (unit: number) => unit >= 0xd800 && unit <= 0xdbff;
const isLow = (unit: number) => unit >= 0xdc00 && unit <= 0xdfff;
