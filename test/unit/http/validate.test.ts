import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { ServiceError } from '#lib/errors.ts';
import { route } from '#lib/http/route.ts';
import { validate } from '#lib/http/validate.ts';

const row = route({
  method: 'POST',
  path: '/things/{id}',
  entry: 'x/y',
  tag: 'Meta',
  summary: '',
  credentials: [],
  params: z.strictObject({ id: z.string().min(2) }),
  query: z.strictObject({ q: z.string().optional(), any: z.array(z.string().min(1)).max(2).optional() }),
  body: z.strictObject({ deep: z.unknown() }),
  response: { status: 200, description: '' },
  errors: [],
  uses: [],
  timeout: 'quick',
  transfer: 'buffered',
});

const pointers = (
  raw: Partial<Parameters<typeof validate>[1]>,
  of: Parameters<typeof validate>[0] = row,
): string[] => {
  try {
    validate(of, { params: { id: 'ab' }, query: {}, body: { deep: 1 }, ...raw });
    return [];
  } catch (error) {
    if (error instanceof ServiceError) return error.errors?.map(({ pointer }) => pointer) ?? [];
    throw error;
  }
};

const nested = (levels: number): unknown => {
  let value: unknown = 1;
  for (let n = 0; n < levels; n += 1) value = n % 2 ? [value] : { a: value };
  return value;
};

describe('validation', () => {
  test('returns the parsed path, query and body', () => {
    expect(validate(row, { params: { id: 'ab' }, query: { q: ['x'] }, body: { deep: [1] } })).toEqual({
      params: { id: 'ab' },
      query: { q: 'x' },
      body: { deep: [1] },
    });
  });

  test('reports all mistakes in all parts at once', () => {
    expect(pointers({ params: { id: 'a' }, query: { z: ['1'] }, body: { deep: 1, other: 1 } })).toEqual([
      '/path/id',
      '/query/z',
      '/body/other',
    ]);
  });

  test.each([null, undefined, [], 'text', 1, true])('refuses %j as a body', (body) => {
    expect(pointers({ body })).toEqual(['/body']);
  });

  test('allows 100 levels of nesting and not one more', () => {
    expect(pointers({ body: { deep: nested(99) } })).toEqual([]);
    const tooDeep = expect.stringMatching(/^\/body\/deep(\/[^/]+){100}$/);
    expect(pointers({ body: { deep: nested(100) } })).toEqual([tooDeep]);
    expect(pointers({ body: { deep: nested(200_000) } })).toEqual([tooDeep]);
  });

  test('reports repeated parameters, unknown ones, and names that lead to a prototype', () => {
    expect(pointers({ query: { q: ['1', '2'] } })).toEqual(['/query/q']);
    expect(pointers({ query: { z: ['1'] } })).toEqual(['/query/z']);
    expect(pointers({ query: { 'a/b~c': ['1'] } })).toEqual(['/query/a~1b~0c']);
    expect(pointers({ query: JSON.parse('{"__proto__":["x"]}') })).toEqual(['/query/__proto__']);
  });

  test('reports a parameter that is not valid Unicode', () => {
    expect(pointers({ query: { q: ['a\ud800'] } })).toEqual(['/query/q']);
    expect(pointers({ query: { 'n\udc00': ['x'] } })).toEqual(['/query/n\ufffd']);
    expect(pointers({ params: { id: 'ab\ud800' } })).toEqual(['/path/id']);
  });

  test('accepts a repeated parameter if its schema is a list, and reports each invalid value', () => {
    const accepted = { params: { id: 'ab' }, query: { any: ['x', 'y'] }, body: { deep: 1 } };
    expect(validate(row, accepted).query).toEqual({ any: ['x', 'y'] });
    expect(validate(row, { ...accepted, query: { any: ['x'] } }).query).toEqual({ any: ['x'] });
    expect(pointers({ query: { any: ['x', ''] } })).toEqual(['/query/any']);
    expect(pointers({ query: { any: ['x', 'y', 'z'] } })).toEqual(['/query/any']);
  });

  test('of a route without a query refuses every parameter', () => {
    const { query: _, ...without } = row;
    expect(pointers({ query: { q: ['1'], 'a/b': ['1'] } }, without)).toEqual(['/query/q', '/query/a~1b']);
  });
});

test('an empty body is refused with what the route takes: an object, or any JSON', () => {
  const anyJson = { ...row, body: z.unknown() };
  const details = [row, anyJson].map((of) => {
    try {
      return validate(of, { params: { id: 'ab' }, query: {}, body: undefined });
    } catch (error) {
      return error instanceof ServiceError ? error.errors?.map(({ detail }) => detail) : error;
    }
  });
  expect(details).toEqual([['must be a JSON object'], ['is empty: must be JSON']]);
});
