import { expect, test } from 'vitest';
import * as z from 'zod';
import { describeIssue, describeIssues } from '#lib/zod-messages.ts';

const describe = (schema: z.ZodType, value: unknown) =>
  [...describeIssues(schema.safeParse(value, { error: describeIssue }).error?.issues ?? [])].map(
    ({ path, detail }) => `/${path.join('/')}: ${detail}`,
  );
const options = z.union([z.array(z.string().min(1)), z.strictObject({ on: z.boolean() }), z.number()]);
const byKind = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('a') }),
  z.strictObject({ kind: z.literal('b') }),
]);

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
  [options, 'x', '/: must be a list or an object or a number, not text'],
  [options, ['a', ''], '/1: must have at least 1 character'],
  [options, { on: 1 }, '/on: must be true or false, not a number'],
  [z.union([z.string(), z.number()], 'must be an id'), [], '/: must be an id'],
  [byKind, { kind: 'c' }, '/kind: must be one of "a", "b"'],
  [byKind, {}, '/kind: is required: must be one of "a", "b"'],
  [z.record(z.string().regex(/^a/, 'must begin with a'), z.string()), { b: '' }, '/b: must begin with a'],
  [z.literal('role'), 'x', '/: must be "role"'],
  [z.string('must be a colour'), 1, '/: must be a colour'],
  [z.strictObject({ a: z.string().optional() }), { b: 1 }, '/b: unknown field: expected a'],
  [z.strictObject({}), { b: 1 }, '/b: unknown field: expected none'],
  [z.record(z.enum(['a']), z.string()), { a: '', b: '' }, '/b: unknown field'],
])('%#: an issue is described without words of zod', (schema, value, description) => {
  expect(describe(schema, value)).toEqual([description]);
});

test('each unknown member is described with its own path, also inside a union, and with the known members', () => {
  const schema = z.object({
    list: z.array(z.union([z.null(), z.strictObject({ n: z.number(), m: z.number() })])),
  });
  expect(describe(schema, { list: [null, { n: 1, m: 1, x: 1, y: 1 }] })).toEqual([
    '/list/1/x: unknown field: expected one of n, m',
    '/list/1/y: unknown field: expected one of n, m',
  ]);
});

test('an unknown member of a query is called a parameter', () => {
  const { error } = z
    .strictObject({ limit: z.string().optional() })
    .safeParse({ limt: '1' }, { error: (issue) => describeIssue(issue, 'parameter') });
  expect(error?.issues[0]?.message).toBe('unknown parameter: expected limit');
});
