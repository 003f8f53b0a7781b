// Integers that a number cannot hold.
import { expect, test } from 'vitest';
import { parseExactly } from '#lib/json/big-integers.ts';

test.each([
  ['9007199254740991', 9_007_199_254_740_991, 0],
  ['9007199254740992', 9_007_199_254_740_992, 0],
  ['9007199254740993', '9007199254740993', 1],
  ['-12345678901234567890', '-12345678901234567890', 1],
  ['1e400', '1e400', 1],
  ['{"a":[1,-1.5E+400], "b":1e22}', { a: [1, '-1.5E+400'], b: 1e22 }, 1],
  ['"3e456"', '3e456', 0],
  ['0.12345678901234567890', 0.123_456_789_012_345_68, 0],
  ['"12345678901234567890"', '12345678901234567890', 0],
  [
    '{"a":[12345678901234567890,1],"b":{"c":12345678901234567891}}',
    { a: ['12345678901234567890', 1], b: { c: '12345678901234567891' } },
    2,
  ],
])('%s is read exactly', (text, value, kept) => {
  expect(parseExactly(text)).toEqual({ value, kept });
});

test('an integer of a hundred thousand digits is text', () => {
  const digits = '9'.repeat(100_000);
  expect(parseExactly(digits)).toEqual({ value: digits, kept: 1 });
});

test('text that is not JSON throws as `JSON.parse` does', () => {
  expect(() => parseExactly('{"a": 12345678901234567890')).toThrow(SyntaxError);
});
