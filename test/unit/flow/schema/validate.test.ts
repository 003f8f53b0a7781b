// The dialect of JSON Schema that flows may use.
import { describe, expect, test } from 'vitest';
import { schemaProblems } from '#lib/flow/schema/problems.ts';
import { findSchemaFaults } from '#lib/flow/schema/validate.ts';
import type { Json, JsonObject } from '#lib/json/json.ts';

/** Schema, values that fit, values that do not. */
const table: readonly (readonly [JsonObject, readonly Json[], readonly Json[]])[] = [
  [{ type: 'string' }, ['', 'x'], [1, null, [], {}]],
  [{ type: ['string', 'null'] }, ['x', null], [1, false]],
  [{ type: 'integer' }, [1, -2, 3.0], [1.5, '1']],
  [{ type: 'number' }, [1.5], ['1']],
  [{ type: 'array' }, [[]], [{}]],
  [{ type: 'object' }, [{}], [[], null]],
  [{ enum: [1, 'a', { x: [1] }] }, [1, 'a', { x: [1] }], [2, 'b', { x: [2] }, { x: [1], y: 1 }]],
  [{ const: { a: 1, b: 2 } }, [{ b: 2, a: 1 }], [{ a: 1 }, null]],
  [
    { properties: { a: { type: 'string' } }, required: ['a'] },
    [{ a: 'x' }, { a: 'x', b: 1 }, 7],
    [{}, { a: 1 }],
  ],
  [{ properties: { a: true }, additionalProperties: false }, [{}, { a: 1 }], [{ b: 1 }]],
  [{ additionalProperties: { type: 'number' } }, [{ a: 1 }], [{ a: '1' }]],
  [{ required: ['toString'] }, [{ toString: 1 }], [{}]],
  [{ propertyNames: { maxLength: 2 } }, [{ ab: 1 }], [{ abc: 1 }]],
  [{ minProperties: 1, maxProperties: 2 }, [{ a: 1 }], [{}, { a: 1, b: 1, c: 1 }]],
  [{ items: { type: 'number' } }, [[], [1, 2]], [[1, 'x']]],
  [{ prefixItems: [{ type: 'string' }], items: { type: 'number' } }, [[], ['x', 1]], [[1], ['x', 'y']]],
  [{ minItems: 1, maxItems: 2, uniqueItems: true }, [[1], [1, '1']], [[], [1, 1], [1, 2, 3]]],
  [{ contains: { const: 1 } }, [[2, 1]], [[2], []]],
  [{ minLength: 2, maxLength: 3 }, ['ab', '😀😀😀'], ['a', 'abcd']],
  [{ pattern: '^\\d+$' }, ['12', 7], ['1a', '']],
  [{ minimum: 1, maximum: 2 }, [1, 2], [0, 3]],
  [{ exclusiveMinimum: 1, exclusiveMaximum: 2 }, [1.5], [1, 2]],
  [{ multipleOf: 5 }, [10, 0], [7]],
  [{ multipleOf: 0.01 }, [19.99, 0.07, -1.15, 1e6], [19.995, 0.001]],
  [
    { uniqueItems: true },
    [
      [
        { a: 1, b: 2 },
        { a: 2, b: 1 },
      ],
    ],
    [
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
    ],
  ],
  [{ anyOf: [{ type: 'string' }, { minimum: 5 }] }, ['x', 6], [1]],
  [{ oneOf: [{ type: 'number' }, { minimum: 5 }] }, [1, 'x'], [6]],
  [{ allOf: [{ minimum: 1 }, { maximum: 2 }] }, [1], [0, 3]],
  [{ not: { type: 'string' } }, [1], ['x']],
  [{ $ref: '#/$defs/a', $defs: { a: { type: 'string' } } }, ['x'], [1]],
  [
    { properties: { next: { $ref: '#' } }, additionalProperties: false },
    [{ next: { next: {} } }],
    [{ next: { x: 1 } }],
  ],
  [{ default: 1, title: 'x', 'x-own': 1, format: 'email' }, ['no e-mail'], []],
];

describe.each(table)('%j', (schema, fitting, unfitting) => {
  test('is a schema that flows may use', () => expect(schemaProblems(schema)).toEqual([]));
  test.each(fitting.map((value) => [value]))('fits %j', async (value) =>
    expect(await findSchemaFaults(schema, value)).toEqual([]),
  );
  test.each(unfitting.map((value) => [value]))('does not fit %j', async (value) =>
    expect(await findSchemaFaults(schema, value)).not.toEqual([]),
  );
});

test('a fault begins with the pointer to the value', async () => {
  const schema = { properties: { 'a/b': { items: { type: 'string' } } } };
  expect(await findSchemaFaults(schema, { 'a/b': ['x', 1] })).toEqual([
    '/a~1b/1: expected string, got number',
  ]);
});

test.each([
  ['refers to itself', { $ref: '#' }],
  ['multiplies', { anyOf: Array.from({ length: 20 }, () => ({ $ref: '#' })) }],
  [
    'has many patterns',
    { anyOf: Array.from({ length: 2000 }, (_, index) => ({ pattern: `[a-z]{1,50}${index}$` })) },
  ],
  [
    'has a long enumeration for each item',
    { items: { enum: Array.from({ length: 20_000 }, (_, index) => index) } },
  ],
])('a schema that %s ends with an error instead of running forever', async (_name, schema) => {
  const value = 'items' in schema ? Array.from({ length: 1000 }, () => 19_999) : 'x'.repeat(20_000);
  await expect(findSchemaFaults(schema, value)).rejects.toMatchObject({ code: 'schema.too_complex' });
});

test('a pattern of exponential time is matched in linear time', async () => {
  expect(await findSchemaFaults({ pattern: '^(a+)+$' }, `${'a'.repeat(50_000)}b`)).toHaveLength(1);
});

test.each([
  [{ type: 'text' }, ['type']],
  [{ properties: [] }, ['properties']],
  [{ properties: { a: 1 } }, ['properties', 'a']],
  [{ required: 'a' }, ['required']],
  [{ minimum: '1' }, ['minimum']],
  [{ maxLength: -1 }, ['maxLength']],
  [{ pattern: '(' }, ['pattern']],
  [{ anyOf: [] }, ['anyOf']],
  [{ enum: [] }, ['enum']],
  [{ $ref: '#/$defs/none' }, ['$ref']],
  [{ items: { patternProperties: {} } }, ['items', 'patternProperties']],
  [{ if: {} }, ['if']],
  [{ minContains: 1 }, ['minContains']],
])('%j is refused with the path of its mistake', (schema, path) => {
  expect(schemaProblems(schema).map((problem) => problem.path)).toEqual([path]);
});
