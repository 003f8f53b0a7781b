// Checks a value against a JSON Schema of the supported dialect. The value is never changed: no defaults, nothing stripped.
import type { Json, JsonObject } from '#lib/json.ts';
import { pointerTo } from '#lib/json-pointer.ts';
import type { LinearPattern } from '../expression/regex.ts';
import { isList, isObject, sortedText } from '../json-value.ts';
import { lazy } from '../lazy.ts';
import { limits } from '../limits.ts';
import { NodeError } from '../node-error.ts';
import { isEqual, isOfType, kindOf } from './kinds.ts';

/** Faults as sentences that begin with the JSON pointer of the place; empty when the value fits. At most ten. */
export async function schemaFaults(schema: JsonObject, value: Json): Promise<readonly string[]> {
  return (await preparedFaults(schema))(value);
}

/** The same in two steps: what has to be loaded first, and then the check, which runs without a pause and may be given less work than usual. */
export async function preparedFaults(schema: JsonObject) {
  const pattern = await patternsOf(schema);
  return (value: Json, work?: { left: number }): readonly string[] =>
    faultsIn(schema, value, pattern, work).map(sentence);
}

export interface Fault {
  /** RFC 6901, from the value's own root. */
  readonly pointer: string;
  readonly detail: string;
}

export const sentence = ({ pointer, detail }: Fault): string => `${pointer || 'the value'}: ${detail}`;

/** The same at once, for who has the regular expressions already; `work` may be shared by many values. */
export function faultsIn(
  schema: JsonObject,
  value: Json,
  pattern: PatternTest,
  work = { left: workMax },
): readonly Fault[] {
  const faults: Fault[] = [];
  validate(schema, value, { root: schema, pointer: '', depth: 0, faults, pattern, work });
  return faults;
}

type PatternTest = (source: string, text: string) => boolean;

interface At {
  readonly root: JsonObject;
  readonly pointer: string;
  /** Of references and schemas passed through: a schema that only refers to itself would never end. */
  readonly depth: number;
  readonly faults: Fault[];
  readonly pattern: PatternTest;
  /** Alternatives that refer to themselves multiply: the work in all is bounded. */
  readonly work: { left: number };
}

const faultsMax = 10;
const depthMax = 256;
/** Keywords looked at, with the length of their lists: about a second. */
const workMax = 5_000_000;
const patternWorkMax = 4 * limits.regexWorkMax;

/** The regular expressions of linear time, loaded only for schemas that have one. */
export const patterns = lazy(() => import('../expression/regex.ts'));

async function patternsOf(schema: JsonObject): Promise<PatternTest> {
  if (!hasKeyword(schema, 'pattern')) return () => true;
  const { linearPattern } = patterns.loaded() ?? (await patterns.load());
  return patternTest(linearPattern);
}

/** All its matches together are bounded. */
export function patternTest(compile: (source: string) => LinearPattern): PatternTest {
  const known = new Map<string, LinearPattern>();
  let spent = 0;
  return (source, text) => {
    const pattern = known.get(source) ?? compile(source);
    known.set(source, pattern);
    spent += pattern.work(text);
    if (spent > patternWorkMax) throw tooMuch();
    return pattern.test(text);
  };
}

function hasKeyword(value: Json, keyword: string): boolean {
  if (isList(value)) return value.some((item) => hasKeyword(item, keyword));
  return (
    isObject(value) &&
    (Object.hasOwn(value, keyword) || Object.values(value).some((item) => hasKeyword(item, keyword)))
  );
}

function validate(schema: Json, value: Json, at: At): void {
  if (at.faults.length >= faultsMax || schema === true) return;
  if (at.depth > depthMax || --at.work.left < 0) throw tooMuch();
  if (!isObject(schema)) {
    fault(at, 'no value is allowed here');
    return;
  }
  for (const keyword in schema) {
    const expected = schema[keyword];
    if (expected === undefined || !Object.hasOwn(rules, keyword)) continue;
    at.work.left -= lengthOf(expected);
    rules[keyword]?.(expected, value, at, schema);
  }
}

const lengthOf = (expected: Json) => {
  if (isList(expected)) return expected.length;
  return isObject(expected) ? Object.keys(expected).length : 1;
};

const tooMuch = () =>
  new NodeError(
    'schema.too_complex',
    'The JSON Schema takes too much work: it refers to itself too often or is too large for the value.',
  );

type Rule = (expected: Json, value: Json, at: At, schema: JsonObject) => void;

const fits = (schema: Json, value: Json, at: At): boolean => {
  const inner: At = { ...at, depth: at.depth + 1, faults: [] };
  validate(schema, value, inner);
  return inner.faults.length === 0;
};

const below = (schema: Json, value: Json, at: At, step: string | number): void =>
  validate(schema, value, { ...at, depth: at.depth + 1, pointer: `${at.pointer}${pointerTo([step])}` });

const fault = ({ faults, pointer }: At, detail: string): void => {
  faults.push({ pointer, detail });
};

const when =
  <T extends Json>(
    is: (value: Json) => value is T,
    holds: (value: T, expected: number) => boolean,
    detail: string,
  ): Rule =>
  (expected, value, at) => {
    if (is(value) && typeof expected === 'number' && !holds(value, expected))
      fault(at, `expected ${detail} ${expected}`);
  };

const isText = (value: Json): value is string => typeof value === 'string';
const isNumber = (value: Json): value is number => typeof value === 'number';

/** As far as doubles can tell: 19.99 is a multiple of 0.01, though their quotient is not quite 1999. */
function isMultiple(value: number, step: number): boolean {
  const times = value / step;
  return Math.abs(times - Math.round(times)) <= 2 * Number.EPSILON * Math.abs(times);
}

const rules: Readonly<Record<string, Rule>> = {
  type: (expected, value, at) => {
    const names = isList(expected) ? expected : [expected];
    if (!names.some((name) => isOfType(value, name)))
      fault(at, `expected ${names.join(' or ')}, got ${kindOf(value)}`);
  },
  enum: (expected, value, at) => {
    if (!isList(expected) || expected.some((one) => isEqual(one, value))) return;
    fault(at, `expected one of ${JSON.stringify(expected).slice(1, 200)}`.replace(/\]$/, ''));
  },
  const: (expected, value, at) => {
    if (!isEqual(expected, value)) fault(at, `expected ${JSON.stringify(expected).slice(0, 200)}`);
  },
  required: (expected, value, at) => {
    if (!isObject(value) || !isList(expected)) return;
    for (const name of expected) {
      if (typeof name === 'string' && !Object.hasOwn(value, name))
        fault(at, `expected the property "${name}"`);
    }
  },
  properties: (expected, value, at) => {
    if (!isObject(value) || !isObject(expected)) return;
    for (const name of Object.keys(expected)) {
      const [schema, item] = [expected[name], Object.hasOwn(value, name) ? value[name] : undefined];
      if (schema !== undefined && item !== undefined) below(schema, item, at, name);
    }
  },
  additionalProperties: (expected, value, at, { properties }) => {
    if (!isObject(value)) return;
    for (const [name, item] of Object.entries(value)) {
      if (isObject(properties) && Object.hasOwn(properties, name)) continue;
      if (expected === false) fault(at, `unknown property "${name.slice(0, 100)}"`);
      else below(expected, item, at, name);
    }
  },
  propertyNames: (expected, value, at) => {
    for (const name of isObject(value) ? Object.keys(value) : []) {
      if (!fits(expected, name, at)) fault(at, `the name "${name.slice(0, 100)}" is not allowed`);
    }
  },
  items: (expected, value, at, { prefixItems }) => {
    const first = isList(prefixItems) ? prefixItems.length : 0;
    for (const [index, item] of (isList(value) ? value : []).entries()) {
      if (index >= first) below(expected, item, at, index);
    }
  },
  prefixItems: (expected, value, at) => {
    for (const [index, schema] of (isList(expected) ? expected : []).entries()) {
      const item = isList(value) ? value[index] : undefined;
      if (item !== undefined) below(schema, item, at, index);
    }
  },
  contains: (expected, value, at) => {
    if (isList(value) && !value.some((item) => fits(expected, item, at)))
      fault(at, 'expected a matching item');
  },
  uniqueItems: (expected, value, at) => {
    if (expected !== true || !isList(value)) return;
    if (new Set(value.map(sortedText)).size < value.length) fault(at, 'expected items that differ');
  },
  minProperties: when(
    isObject,
    (value, min) => Object.keys(value).length >= min,
    'a number of properties of at least',
  ),
  maxProperties: when(
    isObject,
    (value, max) => Object.keys(value).length <= max,
    'a number of properties of at most',
  ),
  minItems: when(isList, (value, min) => value.length >= min, 'a number of items of at least'),
  maxItems: when(isList, (value, max) => value.length <= max, 'a number of items of at most'),
  minLength: when(isText, (value, min) => [...value].length >= min, 'a length of at least'),
  maxLength: when(isText, (value, max) => [...value].length <= max, 'a length of at most'),
  minimum: when(isNumber, (value, min) => value >= min, 'a number of at least'),
  maximum: when(isNumber, (value, max) => value <= max, 'a number of at most'),
  exclusiveMinimum: when(isNumber, (value, min) => value > min, 'a number above'),
  exclusiveMaximum: when(isNumber, (value, max) => value < max, 'a number below'),
  multipleOf: when(isNumber, isMultiple, 'a multiple of'),
  pattern: (expected, value, at) => {
    if (!isText(value) || typeof expected !== 'string' || at.pattern(expected, value)) return;
    fault(at, `expected text that matches ${expected.slice(0, 200)}`);
  },
  allOf: (expected, value, at) => {
    for (const schema of isList(expected) ? expected : [])
      validate(schema, value, { ...at, depth: at.depth + 1 });
  },
  anyOf: (expected, value, at) => {
    if (isList(expected) && !expected.some((schema) => fits(schema, value, at))) {
      fault(at, `expected a value that fits one of ${expected.length} alternatives`);
    }
  },
  oneOf: (expected, value, at) => {
    const fitting = isList(expected) ? expected.filter((schema) => fits(schema, value, at)).length : 1;
    if (fitting !== 1) fault(at, `expected a value that fits exactly one alternative, it fits ${fitting}`);
  },
  not: (expected, value, at) => {
    if (fits(expected, value, at)) fault(at, 'expected a value that does not fit the schema under "not"');
  },
  $ref: (expected, value, at) => {
    const name = String(expected).replace('#/$defs/', '');
    const { $defs } = at.root;
    const target =
      expected === '#' ? at.root : isObject($defs) && Object.hasOwn($defs, name) ? $defs[name] : undefined;
    if (target !== undefined) validate(target, value, { ...at, depth: at.depth + 1 });
  },
};
