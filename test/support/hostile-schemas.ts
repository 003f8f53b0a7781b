// JSON Schemas and values that are made to take as much work together as they can.
import fc from 'fast-check';
import type { Json, JsonObject } from '#lib/json/json.ts';

const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));
const members = (count: number, make: (index: number) => Json): JsonObject =>
  Object.fromEntries(times(count, (index) => [`name${index}`, make(index)]));

const numbers = times(20_000, (index) => index);
const wide = members(8_000, (index) => index);

/** What the audit sent, and what it means today: each in its place among the bounds that hold. */
export const auditRows: readonly (readonly [string, JsonObject, Json])[] = [
  ['100 × uniqueItems', { allOf: times(100, () => ({ uniqueItems: true })) }, numbers],
  ['1,000 × uniqueItems', { allOf: times(1_000, () => ({ uniqueItems: true })) }, numbers],
  ['5,000 × uniqueItems', { allOf: times(5_000, () => ({ uniqueItems: true })) }, numbers],
  ['20,000 × minLength', { allOf: times(20_000, () => ({ minLength: 0 })) }, 'é'.repeat(60_000)],
  ['3,000 × const', { not: { anyOf: times(3_000, (index) => ({ const: members(2, () => index) })) } }, wide],
  ['3,000 × minProperties', { allOf: times(3_000, () => ({ minProperties: 1 })) }, wide],
  ['80,000 × uniqueItems', { allOf: times(80_000, () => ({ uniqueItems: true })) }, numbers],
];

/** None of these can end well. */
export const endlessRows: readonly (readonly [string, JsonObject, Json])[] = [
  ['items that are all compared with all', { items: { enum: numbers } }, times(1_000, () => 19_999)],
  [
    'lengths that are all counted',
    { allOf: times(20_000, () => ({ minLength: 40_000 })) },
    'é'.repeat(60_000),
  ],
  [
    'large constants',
    { items: { anyOf: times(25, (index) => ({ const: { ...wide, last: index } })) } },
    times(100, () => ({ ...wide, last: -1 })),
  ],
  ['many schemas for each item', { items: { allOf: times(500, () => ({ minimum: 0 })) } }, numbers],
  [
    'alternatives for each item',
    { items: { not: { oneOf: times(500, (index) => ({ const: index })) } } },
    times(20_000, () => -1),
  ],
  [
    'lists of lists',
    { allOf: times(500, () => ({ items: { items: { uniqueItems: true } } })) },
    times(200, () => times(200, () => [1])),
  ],
  ['names', { allOf: times(500, () => ({ propertyNames: { maxLength: 20 } })) }, wide],
  [
    'a schema with many names',
    { items: { properties: members(8_000, () => true) } },
    times(5_000, () => ({ name1: 1 })),
  ],
  [
    'keywords that mean nothing',
    { items: members(2_000, () => 1), allOf: times(2_000, () => ({ items: members(50, () => 1) })) },
    numbers,
  ],
  [
    'patterns of many states',
    { allOf: times(500, () => ({ pattern: '(\\p{L}\\d?){200}$' })) },
    'ab'.repeat(5_000),
  ],
  ['a pattern of 700,000 instructions', { pattern: 'a{1000}'.repeat(700) }, 'x'],
  [
    'patterns that take long to compile',
    { anyOf: times(490, (index) => ({ pattern: `x\\p{L}{900}${index}` })) },
    'xyz',
  ],
  ['itself', { $ref: '#' }, 1],
  ['itself many times', { anyOf: times(20, () => ({ $ref: '#' })) }, 'x'],
  [
    'a reference of a million characters',
    { items: { $ref: `#/$defs/${'n'.repeat(1_000_000)}` }, $defs: { ['n'.repeat(1_000_000)]: {} } },
    numbers,
  ],
];

/** What honest flows ask: all of it has room. */
export const honestRows: readonly (readonly [string, JsonObject, Json])[] = [
  ['4 MB of nested objects', orders(), { orders: times(20_000, order) }],
  ['10,000 different objects', { uniqueItems: true }, times(10_000, order)],
  [
    '10,000 different texts',
    { uniqueItems: true, items: { type: 'string' } },
    times(10_000, (index) => `text ${index}`),
  ],
  [
    '10,000 identifiers by a pattern',
    { items: { pattern: '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$' } },
    times(10_000, (index) => `01234567-0123-4567-89ab-${String(index).padStart(12, '0')}`),
  ],
  ['a text of 4 MB', { minLength: 1, maxLength: 4_000_000 }, 'é'.repeat(2_000_000)],
];

function orders(): JsonObject {
  const address = {
    type: 'object',
    properties: { street: { type: 'string' }, city: { type: 'string' } },
    additionalProperties: false,
  };
  const properties = {
    id: { type: 'integer', minimum: 0 },
    name: { type: 'string', minLength: 1, maxLength: 200 },
    tags: { type: 'array', items: { type: 'string' }, maxItems: 20 },
    address,
    is_open: { type: 'boolean' },
    total: { type: ['number', 'null'] },
  };
  return {
    type: 'object',
    properties: {
      orders: { type: 'array', items: { type: 'object', required: ['id', 'name'], properties } },
    },
  };
}

function order(index: number): JsonObject {
  return {
    id: index,
    name: `Somebody with the number ${index} and a middle name`,
    tags: ['first', 'second', 'third'],
    address: { street: `Long Street ${index}, second floor`, city: 'Springfield' },
    is_open: index % 2 === 0,
    total: index / 7,
  };
}

const count = fc.constantFrom(1, 2, 3, 10, 100, 1_000);
const leaf: fc.Arbitrary<JsonObject> = fc.oneof(
  fc.constantFrom<JsonObject>(
    ...[
      {},
      { uniqueItems: true },
      { minLength: 0 },
      { maxLength: 5_000 },
      { minProperties: 1 },
      { maxProperties: 9 },
    ],
    ...[
      { type: 'string' },
      { type: ['object', 'array', 'null'] },
      { const: wide },
      { enum: times(300, (index) => `x${index}`) },
    ],
    ...[
      { required: times(200, (index) => `name${index}`) },
      { pattern: '(a|b|ab)*c$' },
      { pattern: '^\\p{L}{1,50}$' },
    ],
    ...[
      { multipleOf: 0.01 },
      { const: 'x'.repeat(5_000) },
      { additionalProperties: false },
      { $ref: '#' },
      { $ref: '#/$defs/a' },
    ],
  ),
);

/** Keywords that multiply what is inside them. */
const schemas = fc.letrec<{ schema: JsonObject }>((tie) => ({
  schema: fc.oneof(
    { depthSize: 'small', maxDepth: 4 },
    leaf,
    fc
      .tuple(fc.constantFrom('allOf', 'anyOf', 'oneOf', 'prefixItems'), count, tie('schema'))
      .map(([keyword, many, schema]): JsonObject => ({ [keyword]: times(many, () => schema) })),
    fc
      .tuple(
        fc.constantFrom('items', 'contains', 'not', 'additionalProperties', 'propertyNames'),
        tie('schema'),
      )
      .map(([keyword, schema]): JsonObject => ({ [keyword]: schema })),
    fc
      .tuple(count, tie('schema'))
      .map(([many, schema]): JsonObject => ({ properties: members(many, () => schema) })),
    fc.tuple(tie('schema'), tie('schema')).map(([one, other]): JsonObject => ({ ...one, ...other })),
  ),
}));

export const hostileSchema: fc.Arbitrary<JsonObject> = fc
  .tuple(schemas.schema, leaf)
  .map(([schema, $defs]) => ({ ...schema, $defs: { a: $defs } }));

const scalars = fc.constantFrom<Json>(
  ...[0, 1, 0.1, null, true, '', 'a', 'ab'.repeat(2_000), 'é😀'.repeat(1_000)],
);

export const hostileValue: fc.Arbitrary<Json> = fc.oneof(
  scalars,
  fc.tuple(fc.constantFrom(1, 50, 5_000), scalars).map(([many, one]): Json => times(many, () => one)),
  fc.tuple(fc.constantFrom(1, 50, 3_000), scalars).map(([many, one]): Json => members(many, () => one)),
  fc
    .tuple(fc.constantFrom(1, 50, 1_000), scalars)
    .map(([many, one]): Json => times(many, (index) => ({ a: [one], [`name${index}`]: index }))),
  fc.constantFrom<Json>(
    numbers,
    wide,
    times(300, () => times(30, (index) => index)),
  ),
);
