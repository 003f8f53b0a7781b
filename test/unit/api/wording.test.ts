// Mistakes in a request are told in words that say what is expected, and not in those of the validator.
import { expect, test } from 'vitest';
import * as z from 'zod';
import { inOurWords } from '#lib/api/wording.ts';

const detailOf = (schema: z.ZodType, value: unknown) =>
  schema.safeParse(value, { error: inOurWords }).error?.issues.map(({ message }) => message);
const named = z.record(z.string().regex(/^[A-Z]+$/, 'must be of capitals'), z.string());

test.each<[string, z.ZodType, unknown, string]>([
  ['what is missing', z.object({ a: z.string() }), {}, 'is required'],
  ['null in place of text', z.string(), null, 'must be text'],
  ['a number in place of text', z.string(), 1, 'must be text'],
  ['a list in place of an object', z.record(z.string(), z.string()), [], 'must be an object'],
  ['an object in place of a list', z.array(z.string()), {}, 'must be a list'],
  ['text in place of a boolean', z.boolean(), 'true', 'must be true or false'],
  ['half of something', z.int(), 1.5, 'must be a whole number'],
  ['another word', z.enum(['live', 'test']), 'prod', 'must be one of "live", "test"'],
  ['another word than the only one', z.literal('role'), 'x', 'must be "role"'],
  ['another name', named, { a: 'x' }, 'has a name that is not taken: it must be of capitals'],
  ['text of another form', z.string().regex(/^a+$/), 'b', 'must match /^a+$/'],
  ['too small a number', z.number().min(1), 0, 'must be at least 1'],
  ['too large a number', z.int().max(50), 51, 'must be at most 50'],
  ['too short a text', z.string().min(2), '', 'must have at least 2 characters'],
  ['too long a text', z.string().max(2), 'abc', 'must have at most 2 characters'],
  ['too short a list', z.array(z.string()).min(1), [], 'must have at least 1 item'],
  ['what the schema has words for', z.string('must be a name'), 1, 'must be a name'],
])('%s', (_mistake, schema, value, detail) => {
  expect(detailOf(schema, value)).toEqual([detail]);
});
