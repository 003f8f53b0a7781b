import { expect, test } from 'vitest';
import * as z from 'zod';
import { plainIssues, plainWords } from '#lib/zod-messages.ts';

const told = (schema: z.ZodType, value: unknown) =>
  plainIssues(schema.safeParse(value, { error: plainWords }).error?.issues ?? []).map(
    ({ path, message }) => `/${path.join('/')}: ${message}`,
  );
const kinds = z.union([z.array(z.string().min(1)), z.strictObject({ on: z.boolean() }), z.number()]);

test.each<[z.ZodType, unknown, string]>([
  [z.object({}), [], '/: must be an object, not a list'],
  [z.record(z.string(), z.string()), null, '/: must be an object, not null'],
  [z.string(), 1, '/: must be text, not a number'],
  [z.object({ a: z.boolean() }), {}, '/a: is required: must be true or false'],
  [z.int(), 1.5, '/: must be a whole number, not a fraction'],
  [z.enum(['a', 'b']), 'c', '/: must be one of "a", "b"'],
  [z.literal(1), 2, '/: must be 1'],
  [z.string().min(1), '', '/: must have at least 1 character'],
  [z.array(z.string()).max(2), ['a', 'b', 'c'], '/: must have at most 2 items'],
  [z.number().positive(), 0, '/: must be above 0'],
  [z.number().max(9), 10, '/: must be at most 9'],
  [z.url(), 'x', '/: must be a URL'],
  [z.string().regex(/^a+$/), 'b', '/: must match /^a+$/'],
  [kinds, 'x', '/: must be a list or an object or a number, not text'],
  [kinds, ['a', ''], '/1: must have at least 1 character'],
  [kinds, { on: 1 }, '/on: must be true or false, not a number'],
  [z.union([z.string(), z.number()], 'must be an id'), [], '/: must be an id'],
  [z.record(z.string().regex(/^a/, 'must begin with a'), z.string()), { b: '' }, '/b: must begin with a'],
  [z.literal('role'), 'x', '/: must be "role"'],
  [z.string('must be a colour'), 1, '/: must be a colour'],
])('mistake %# has a plain message', (schema, value, words) => {
  expect(told(schema, value)).toEqual([words]);
});
