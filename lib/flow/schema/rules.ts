// The rule of each keyword. A rule reports a fault; the walk decides whether to format its text.
import type { Json, JsonObject } from '#lib/json/json.ts';
import { truncate } from '#lib/truncate.ts';
import { isList, isObject } from '../format/json-value.ts';
import {
  countChars,
  isEqual,
  isOfType,
  isUnique,
  listNames,
  readType,
  type ValidationCache,
} from './kinds.ts';
import { memberUnits, spendSteps, textUnits } from './step-budget.ts';

/** What a rule can use besides the value. */
export interface Walk extends ValidationCache {
  readonly root: JsonObject;
  readonly pattern: (source: string, text: string) => boolean;
  /** Reports a fault. When `isFull` returns true, no further faults are needed. */
  readonly report: (detail: () => string) => void;
  readonly isFull: () => boolean;
  /** Validates the value itself against another schema. */
  readonly check: (schema: Json, value: Json) => void;
  /** Validates a member or an item of the value. */
  readonly checkInside: (schema: Json, value: Json, step: string | number) => void;
  /** Returns only whether the value is valid. */
  readonly fits: (schema: Json, value: Json) => boolean;
}

export type Rule = (expected: Json, value: Json, walk: Walk, schema: JsonObject) => void;

const isText = (value: Json): value is string => typeof value === 'string';
const isNumber = (value: Json): value is number => typeof value === 'number';

const bound =
  <T extends Json>(
    is: (value: Json) => value is T,
    holds: (value: T, expected: number, walk: Walk) => boolean,
    detail: string,
  ): Rule =>
  (expected, value, walk) => {
    if (is(value) && typeof expected === 'number' && !holds(value, expected, walk))
      walk.report(() => `expected ${detail} ${expected}`);
  };

/** A character takes one or two code units, so that most texts need not be counted. */
const hasLength = (text: string, min: number, walk: Walk) =>
  text.length >= 2 * min || (text.length >= min && countChars(text, walk.budget) >= min);

/**
 * Within the precision of doubles: 19.99 is a multiple of 0.01, although their quotient is not exactly 1999.
 */
function isMultiple(value: number, step: number): boolean {
  const times = value / step;
  return Math.abs(times - Math.round(times)) <= 2 * Number.EPSILON * Math.abs(times);
}

const shorten = (name: string) => truncate(name, 100);

const valueRules: Readonly<Record<string, Rule>> = {
  type: (expected, value, walk) => {
    const names = isList(expected) ? expected : [expected];
    spendSteps(walk.budget, names.length);
    if (!names.some((name) => isOfType(value, name)))
      walk.report(() => `expected ${names.slice(0, 10).join(' or ')}, got ${readType(value)}`);
  },
  enum: (expected, value, walk) => {
    if (!isList(expected) || expected.some((one) => isEqual(one, value, walk))) return;
    walk.report(() => `expected one of ${jsonStart(expected, 200).slice(1)}`.replace(/\]$/, ''));
  },
  const: (expected, value, walk) => {
    if (!isEqual(expected, value, walk)) walk.report(() => `expected ${jsonStart(expected, 200)}`);
  },
  minLength: bound(isText, hasLength, 'a length of at least'),
  maxLength: bound(isText, (text, max, walk) => !hasLength(text, max + 1, walk), 'a length of at most'),
  minimum: bound(isNumber, (value, min) => value >= min, 'a number of at least'),
  maximum: bound(isNumber, (value, max) => value <= max, 'a number of at most'),
  exclusiveMinimum: bound(isNumber, (value, min) => value > min, 'a number above'),
  exclusiveMaximum: bound(isNumber, (value, max) => value < max, 'a number below'),
  multipleOf: bound(isNumber, isMultiple, 'a multiple of'),
  pattern: (expected, value, walk) => {
    if (!isText(value) || typeof expected !== 'string' || walk.pattern(expected, value)) return;
    walk.report(() => `expected text that matches ${truncate(expected, 200)}`);
  },
};

const objectRules: Readonly<Record<string, Rule>> = {
  required: (expected, value, walk) => {
    if (!isObject(value) || !isList(expected)) return;
    for (const name of expected) {
      if (walk.isFull()) return;
      if (typeof name !== 'string') continue;
      spendSteps(walk.budget, 1 + textUnits(name));
      if (!Object.hasOwn(value, name)) walk.report(() => `expected the property "${shorten(name)}"`);
    }
  },
  properties: (expected, value, walk) => {
    if (!isObject(value) || !isObject(expected)) return;
    for (const name of listNames(expected, walk)) {
      if (walk.isFull()) return;
      spendSteps(walk.budget, memberUnits);
      const [schema, item] = [expected[name], Object.hasOwn(value, name) ? value[name] : undefined];
      if (schema !== undefined && item !== undefined) walk.checkInside(schema, item, name);
    }
  },
  additionalProperties: (expected, value, walk, { properties }) => {
    if (!isObject(value)) return;
    for (const name of listNames(value, walk)) {
      if (walk.isFull()) return;
      spendSteps(walk.budget, 1);
      if (isObject(properties) && Object.hasOwn(properties, name)) continue;
      if (expected === false) walk.report(() => `unknown property "${shorten(name)}"`);
      else walk.checkInside(expected, value[name] ?? null, name);
    }
  },
  propertyNames: (expected, value, walk) => {
    for (const name of isObject(value) ? listNames(value, walk) : []) {
      if (walk.isFull()) return;
      if (!walk.fits(expected, name)) walk.report(() => `the name "${shorten(name)}" is not allowed`);
    }
  },
  minProperties: bound(
    isObject,
    (value, min, walk) => listNames(value, walk).length >= min,
    'a number of properties of at least',
  ),
  maxProperties: bound(
    isObject,
    (value, max, walk) => listNames(value, walk).length <= max,
    'a number of properties of at most',
  ),
};

const listRules: Readonly<Record<string, Rule>> = {
  items: (expected, value, walk, { prefixItems }) => {
    const first = isList(prefixItems) ? prefixItems.length : 0;
    const count = isList(value) ? value.length : 0;
    for (let index = first; index < count && !walk.isFull(); index++)
      walk.checkInside(expected, isList(value) ? (value[index] ?? null) : null, index);
  },
  prefixItems: (expected, value, walk) => {
    for (const [index, schema] of (isList(expected) ? expected : []).entries()) {
      const item = isList(value) && !walk.isFull() ? value[index] : undefined;
      if (item === undefined) return;
      spendSteps(walk.budget, 2);
      walk.checkInside(schema, item, index);
    }
  },
  contains: (expected, value, walk) => {
    if (isList(value) && !value.some((item) => walk.fits(expected, item)))
      walk.report(() => 'expected a matching item');
  },
  uniqueItems: (expected, value, walk) => {
    if (expected === true && isList(value) && !isUnique(value, walk))
      walk.report(() => 'expected items that differ');
  },
  minItems: bound(isList, (value, min) => value.length >= min, 'a number of items of at least'),
  maxItems: bound(isList, (value, max) => value.length <= max, 'a number of items of at most'),
};

const schemaRules: Readonly<Record<string, Rule>> = {
  allOf: (expected, value, walk) => {
    for (const schema of isList(expected) ? expected : []) if (!walk.isFull()) walk.check(schema, value);
  },
  anyOf: (expected, value, walk) => {
    if (isList(expected) && !expected.some((schema) => walk.fits(schema, value)))
      walk.report(() => `expected a value that fits one of ${expected.length} alternatives`);
  },
  oneOf: (expected, value, walk) => {
    const fitting = isList(expected) ? expected.filter((schema) => walk.fits(schema, value)).length : 1;
    if (fitting !== 1)
      walk.report(() => `expected a value that fits exactly one alternative, it fits ${fitting}`);
  },
  not: (expected, value, walk) => {
    if (walk.fits(expected, value))
      walk.report(() => 'expected a value that does not fit the schema under "not"');
  },
  $ref: (expected, value, walk) => {
    if (typeof expected !== 'string') return;
    spendSteps(walk.budget, memberUnits + textUnits(expected));
    const name = expected.replace('#/$defs/', '');
    const { $defs } = walk.root;
    const target =
      expected === '#' ? walk.root : isObject($defs) && Object.hasOwn($defs, name) ? $defs[name] : undefined;
    if (target !== undefined) walk.check(target, value);
  },
};

/** The rules by keyword. All other keywords are ignored. */
export const rules: ReadonlyMap<string, Rule> = new Map(
  Object.entries({ ...valueRules, ...objectRules, ...listRules, ...schemaRules }),
);

/**
 * The first `max` characters of the value's JSON, for a message. The rest of the value is not read, because it
 * can be large.
 */
const jsonStart = (value: Json, max: number): string => truncate(writeStart(value, max), max);

function writeStart(value: Json, max: number): string {
  if (typeof value === 'string') return JSON.stringify(truncate(value, max));
  if (isList(value)) return `[${joinStart(value, max, (item, left) => writeStart(item, left))}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const members = joinStart(
    Object.keys(value),
    max,
    (name, left) => `${JSON.stringify(truncate(name, max))}:${writeStart(value[name] ?? null, left)}`,
  );
  return `{${members}}`;
}

function joinStart<T>(parts: readonly T[], max: number, show: (part: T, left: number) => string): string {
  let text = '';
  for (const [index, part] of parts.entries()) {
    if (text.length > max) break;
    text += `${index > 0 ? ',' : ''}${show(part, max - text.length)}`;
  }
  return text;
}
