import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { jsonBytes } from '#lib/json/size.ts';

const written = (value: unknown) => Buffer.byteLength(JSON.stringify(value));
const nested = (levels: number): unknown => {
  let value: unknown = 1;
  for (let n = 0; n < levels; n += 1) value = n % 2 ? [value] : { a: value };
  return value;
};

describe('the bytes of a value', () => {
  test('are those of its JSON in UTF-8', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.string({ unit: 'binary' }), (value, text) => {
        expect(jsonBytes({ value, [text]: text })).toBe(written({ value, [text]: text }));
      }),
    );
  });

  test.each([
    ['a number that grows when it is written again', [1e20, -1e-7, 0.1]],
    ['letters of several bytes, escapes and half a pair', 'ä漢🎉"\\\n\u2028\ud800'],
    ['members without a value', { a: undefined, b: [undefined, null] }],
    ['empty ones', [{}, [], '']],
  ])('count %s in its JSON form', (_what, value) => {
    expect(jsonBytes(value)).toBe(written(value));
  });

  test('are reported as above the bound exactly if they are', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.nat(200), (value, max) => {
        expect(jsonBytes(value, max) > max).toBe(written(value) > max);
      }),
    );
  });

  test('are infinite for a value that is nested too deep', () => {
    expect(jsonBytes(nested(101))).toBe(written(nested(101)));
    expect(jsonBytes(nested(102))).toBe(Number.POSITIVE_INFINITY);
    expect(jsonBytes(nested(100_000))).toBe(Number.POSITIVE_INFINITY);
  });
});
