import { describe, expect, test } from 'vitest';
import { keywords } from '#lib/flow/schema/dialect.ts';
import type { Json, JsonObject } from '#lib/json/json.ts';
import { keywordRules } from '#lib/registry/diff/narrows.ts';
import { schemaChanges } from '#lib/registry/diff/schema-changes.ts';

/** An object whose member `a` has the schema. */
const a = (schema: Json, more: JsonObject = {}): JsonObject => ({ properties: { a: schema }, ...more });
const required = { required: ['a'] };
const closed = { additionalProperties: false };
const text = { type: 'string' };
const nested = (schema: JsonObject) => a({ type: 'object', ...schema });
type Schema = JsonObject | undefined;

const isBreaking = (was: Schema, now: Schema, direction: 'input' | 'output') => {
  const found = schemaChanges(was, now, direction);
  expect(found).not.toEqual([]);
  return found.some(({ breaking }) => breaking);
};

test.each<[string, Schema, Schema, boolean]>([
  ['a schema with a required member', undefined, a(text, required), true],
  ['a schema with an optional member', undefined, a(text), false],
  ['a schema that refuses other members', undefined, a(text, closed), true],
  ['a schema that says only that it is of an object', undefined, { type: 'object' }, false],
  ['no schema any more', a(text, required), undefined, false],
  ['a new required member', {}, a(text, required), true],
  ['a new required member that is not declared', {}, required, true],
  ['a new optional member', {}, a(text), false],
  ['a new optional member where others are refused', closed, a(text, closed), false],
  ['a member that is required now', a(text), a(text, required), true],
  ['a member that is optional now', a(text, required), a(text), false],
  ['a removed member', a(text), {}, false],
  ['a removed member where others are refused', a(text, closed), closed, true],
  ['a removed member where others fit', a(text), { additionalProperties: text }, true],
  [
    'a new member that others did not fit',
    { additionalProperties: text },
    a({ type: 'number' }, { additionalProperties: text }),
    true,
  ],
  [
    'a new member that others fitted',
    { additionalProperties: text },
    a(text, { additionalProperties: text }),
    false,
  ],
  [
    'a required member that is declared no longer',
    a(text, { ...required, ...closed }),
    { ...required, ...closed },
    true,
  ],
  ['others are refused from now on', a(text), a(text, closed), true],
  ['others are allowed again', a(text, closed), a(text), false],
  ['another type', a(text), a({ type: 'number' }), true],
  ['a type less', a({ type: ['string', 'null'] }), a(text), true],
  ['a type more', a(text), a({ type: ['string', 'null'] }), false],
  ['number for integer', a({ type: 'integer' }), a({ type: 'number' }), false],
  ['integer for number', a({ type: 'number' }), a({ type: 'integer' }), true],
  ['a type where there was none', a({}), a(text), true],
  ['no type any more', a(text), a(true), false],
  ['no value is allowed', a(text), a(false), true],
  ['an enum', a(text), a({ ...text, enum: ['x'] }), true],
  ['an enum with less values', a({ enum: ['x', 'y'] }), a({ enum: ['y'] }), true],
  ['an enum with more values', a({ enum: ['x'] }), a({ enum: ['y', 'x'] }), false],
  ['an enum for a constant that it has', a({ const: 'x' }), a({ enum: ['x', 'y'] }), false],
  ['a constant for the only value', a({ enum: ['x'] }), a({ const: 'x' }), false],
  ['a constant for two values', a({ enum: ['x', 'y'] }), a({ const: 'x' }), true],
  ['a lower maximum', a({ maxLength: 5 }), a({ maxLength: 4 }), true],
  ['a higher maximum', a({ maxLength: 5 }), a({ maxLength: 6 }), false],
  ['a higher minimum', a({ minimum: -2 }), a({ minimum: -1 }), true],
  ['a lower minimum', a({ minimum: -1 }), a({ minimum: -2 }), false],
  ['a minimum that excludes nothing', a({}), a({ minLength: 0 }), false],
  ['another pattern', a({ pattern: '^a' }), a({ pattern: '^' }), true],
  ['no pattern any more', a({ pattern: '^a' }), a({}), false],
  ['an alternative more', a({ anyOf: [text] }), a({ anyOf: [{ type: 'null' }, text] }), false],
  ['an alternative less', a({ anyOf: [{ type: 'null' }, text] }), a({ anyOf: [text] }), true],
  ['narrower items', a({ items: { type: 'number' } }), a({ items: { type: 'integer' } }), true],
  ['wider items', a({ items: { type: 'integer' } }), a({ items: { type: 'number' } }), false],
  ['no first items any more', a({ prefixItems: [text], items: {} }), a({ items: {} }), true],
  ['a required member within', nested({}), nested(a(text, required)), true],
  ['an optional member within', nested({}), nested(a(text)), false],
  ['a removed member within', nested(a(text, closed)), nested(closed), true],
  ['another description', a({ description: 'One.' }), a({ description: 'Two.' }), false],
  [
    'another meaning of a reference',
    a({ $ref: '#/$defs/b' }, { $defs: { b: true } }),
    a({ $ref: '#/$defs/b' }, { $defs: { b: text } }),
    true,
  ],
])('input with %s: what may be refused is breaking', (_what, was, now, expected) => {
  expect(isBreaking(was, now, 'input')).toBe(expected);
});

test.each<[string, Schema, Schema, boolean]>([
  ['a schema', undefined, a(text, { ...required, ...closed }), false],
  ['no schema any more', a(text), undefined, true],
  ['no schema any more, which declared no member', { type: 'object' }, undefined, false],
  ['a new member', {}, a(text), false],
  ['a new member where there was no other', closed, a(text, closed), false],
  ['a removed member', a(text), {}, true],
  ['a member that may be missing', a(text, required), a(text), true],
  ['a member that is always there', a(text), a(text, required), false],
  ['another type', a(text), a({ type: 'number' }), true],
  ['a type more', a(text), a({ type: ['string', 'null'] }), true],
  ['a type less', a({ type: ['string', 'null'] }), a(text), false],
  ['a value more', a({ enum: ['x'] }), a({ enum: ['x', 'y'] }), true],
  ['a value less', a({ enum: ['x', 'y'] }), a({ enum: ['x'] }), false],
  ['other members', a(text, closed), a(text), false],
  ['a removed member within', nested(a(text)), nested({}), true],
  ['a new member within', nested({}), nested(a(text)), false],
])('output with %s: what callers may miss or not expect is breaking', (_what, was, now, expected) => {
  expect(isBreaking(was, now, 'output')).toBe(expected);
});

describe('what is listed', () => {
  test('members by name with their types, after what concerns the whole value', () => {
    const was = { properties: { b: text, c: { type: 'string', maxLength: 9 } } };
    const now = {
      properties: { a: { type: ['string', 'null'] }, c: { type: 'number' } },
      required: ['a'],
      ...closed,
    };
    expect(schemaChanges(was, now, 'input')).toEqual([
      { name: 'user_variables', change: 'changed', breaking: true, members: ['additionalProperties'] },
      { name: 'user_variables.a', change: 'added', breaking: true, now: 'string or null, required' },
      { name: 'user_variables.b', change: 'removed', breaking: true, was: 'string' },
      {
        name: 'user_variables.c',
        change: 'changed',
        breaking: true,
        was: 'string',
        now: 'number',
        members: ['maxLength', 'type'],
      },
    ]);
  });

  test('a schema that appears, and its members', () => {
    expect(schemaChanges(undefined, a(true), 'output')).toEqual([
      { name: 'response', change: 'added', breaking: false },
      { name: 'response.a', change: 'added', breaking: false, now: 'any value' },
    ]);
  });

  test('nothing where the schemas are the same, whatever the order of their members', () => {
    expect(schemaChanges(undefined, undefined, 'input')).toEqual([]);
    const schema = { type: 'object', ...a(text, required) };
    expect(schemaChanges(schema, { ...required, ...a(text), type: 'object' }, 'input')).toEqual([]);
  });

  test('members with names that objects have anyway', () => {
    const now: JsonObject = JSON.parse('{"properties":{"__proto__":{"type":"string"},"constructor":true}}');
    expect(schemaChanges({}, now, 'input').map(({ name }) => name)).toEqual([
      'user_variables.__proto__',
      'user_variables.constructor',
    ]);
  });
});

test('there is a rule for every keyword that flows may use', () => {
  const byMember = ['properties', 'required', '$defs'];
  expect(Object.keys(keywordRules).sort()).toEqual(
    Object.keys(keywords)
      .filter((keyword) => !byMember.includes(keyword))
      .sort(),
  );
});

test('schemas with very many members are compared in a moment', () => {
  const names = Array.from({ length: 50_000 }, (_, index) => `m${index}`);
  const schema = { properties: Object.fromEntries(names.map((name) => [name, text])), required: names };
  const changes = schemaChanges(schema, { ...schema, required: names.toReversed().slice(1) }, 'input');
  expect(changes).toMatchObject([{ name: 'user_variables.m49999', breaking: false }]);
});
