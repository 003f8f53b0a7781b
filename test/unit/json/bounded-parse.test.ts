import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { boundedParse } from '#lib/json/bounded-parse.ts';
import { describeIssue } from '#lib/zod-messages.ts';

const name = z.string().regex(/^[a-z]+$/);
const schemas = {
  'a list': z.strictObject({ many: z.array(name) }),
  'a map': z.strictObject({ many: z.record(name, name) }),
  'a list that may be left out': z.strictObject({ many: z.array(name).optional() }),
  'a list of another kind': z.strictObject({ many: z.union([z.literal('*'), z.array(name)]) }),
  'a list behind a preprocessor': z.strictObject({ many: z.preprocess((value) => value, z.array(name)) }),
  'a list of a schema that is built when it is used': z.lazy(() => z.strictObject({ many: z.array(name) })),
};
const list = (length: number, item: unknown): unknown[] => Array(length).fill(item);
const map = (length: number): object => Object.fromEntries(list(length, 0).map((_, n) => [`${n}`, 0]));

describe('a value with more members than may be checked', () => {
  test.each(Object.entries(schemas))('in %s is one mistake, with its path', (kind, schema) => {
    const many = kind === 'a map' ? map(100_001) : list(1_000_000, 0);
    expect(boundedParse(schema, { many }, describeIssue)).toMatchObject({
      success: false,
      issues: [{ path: ['many'], message: expect.stringContaining('at most 100000') }],
    });
  });

  test('is reported with the message of the bound in its schema', () => {
    const schema = z.strictObject({ many: z.array(name).max(3) });
    expect(boundedParse(schema, { many: list(1_000_000, 0) }, describeIssue)).toMatchObject({
      issues: [{ path: ['many'], message: 'must have at most 3 items' }],
    });
  });

  test('counts the members of nested lists, which overflow the stack of zod if they are invalid', () => {
    const schema = z.strictObject({ many: z.array(z.strictObject({ of: z.array(name) })) });
    expect(boundedParse(schema, { many: list(9_000, { of: list(40, 0) }) }, describeIssue)).toMatchObject({
      issues: [{ path: ['many', expect.any(Number), 'of'] }],
    });
  });
});

test('a value within the bounds is parsed by its schema', () => {
  const schema = z.strictObject({ many: z.array(name), n: z.string().transform(Number) });
  expect(boundedParse(schema, { many: list(90_000, 'a'), n: '1' }, describeIssue)).toMatchObject({
    success: true,
    data: { n: 1 },
  });
});

test('a value with the largest number of mistakes takes less than two seconds of CPU', () => {
  const schema = z.strictObject({ many: z.array(name) });
  const many = list(100_000, 0);
  const before = process.cpuUsage();
  expect(boundedParse(schema, { many }, describeIssue).success).toBe(false);
  expect(process.cpuUsage(before).user).toBeLessThan(2_000_000);
});

test('a schema that is built when it is used is built once', () => {
  let built = 0;
  const schema = z.lazy(() => {
    built += 1;
    return z.strictObject({ many: z.array(name) });
  });
  for (const many of [['a'], ['b'], [0]]) boundedParse(schema, { many }, describeIssue);
  expect(built).toBe(1);
});
