import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isDeeperThan, jsonDepthMax } from '#lib/json/depth.ts';
import { faultIn } from '#lib/json/guard.ts';
import { readJsonText } from '#lib/json/parse.ts';

const nested = (levels: number): unknown => {
  let value: unknown = 1;
  for (let n = 0; n < levels; n += 1) value = n % 2 ? [value] : { a: value };
  return value;
};
const isHostile = (key: string) => key === '__proto__';

describe('a value', () => {
  test.each([null, true, '', 0, [], {}, { a: [1, { b: null }] }])('such as %j is accepted', (value) => {
    expect(faultIn(value, isHostile)).toBeUndefined();
  });

  test('may be as deep as the limit, and not one level deeper', () => {
    for (const levels of [jsonDepthMax - 1, jsonDepthMax, jsonDepthMax + 1, 200_000])
      expect(faultIn(nested(levels)) !== undefined, `${levels}`).toBe(
        isDeeperThan(nested(levels), jsonDepthMax),
      );
  });

  test('that is too deep is reported with the path to the first level beyond the limit', () => {
    const inside = { fine: [], deep: { er: nested(200_000) } };
    const { path, detail } = faultIn(inside) ?? {};
    expect(path?.slice(0, 2)).toEqual(['deep', 'er']);
    expect(path).toHaveLength(jsonDepthMax + 1);
    expect(detail).toContain('100 levels');
  });

  test.each([
    ['1e400', []],
    ['[0,-1e400]', ['1']],
    ['{"a":{"b/c":[{},{"d":1e999}]}}', ['a', 'b/c', '1', 'd']],
  ])('of %s is refused with the path of a number beyond the range of a double', (text, path) => {
    expect(faultIn(JSON.parse(text))).toMatchObject({ path, detail: expect.stringContaining('number') });
  });

  test.each([
    ['"\\ud800"', [], 'must be Unicode text'],
    ['{"a":["\\ud83d\\ude00 x \\ude00"]}', ['a', '0'], 'must be Unicode text'],
    ['[{"x\\udfff":1}]', ['0', 'x\ufffd'], 'is a name that has half of a surrogate pair'],
  ])('of %s is refused with the path of a text that is not valid Unicode', (text, path, detail) => {
    expect(faultIn(JSON.parse(text))).toMatchObject({ path, detail: expect.stringContaining(detail) });
  });

  test('of valid Unicode is accepted, also with supplementary characters and U+0000', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary', maxDepth: 2 }), (value) => {
        expect(faultIn(value)).toBeUndefined();
      }),
      { numRuns: 50 },
    );
    expect(faultIn({ a: '\u0000\uffff\u{10ffff}' })).toBeUndefined();
  });

  test('of a million members is checked in less than a second of CPU', () => {
    const value: unknown = JSON.parse(`[${'{},'.repeat(500_000)}${'0,'.repeat(500_000)}0]`);
    const before = process.cpuUsage();
    expect(faultIn(value)).toBeUndefined();
    expect(process.cpuUsage(before).user).toBeLessThan(1_000_000);
  });

  test('with a forbidden name is reported with its path, and accepted without the rule', () => {
    const value: unknown = JSON.parse('{"a":[{"__proto__":{"x":1}}]}');
    expect(faultIn(value, isHostile)).toMatchObject({ path: ['a', '0', '__proto__'] });
    expect(faultIn(value)).toBeUndefined();
  });
});

describe('invalid JSON', () => {
  test.each([
    ['', 'it ends too early, after 0 characters'],
    ['{"password":"hunter2', 'it ends too early, after 20 characters'],
    ['[1,2', 'it ends too early, after 4 characters'],
    ['{"password":"hunter2",}', 'see line 1 column 23'],
    ['{\n "password" "hunter2"}', 'see line 2 column 13'],
    [
      '{"password":hunter2}',
      'it has text that is not JSON, such as a name or a word without quotation marks',
    ],
  ])('%j: is reported with its position and without quoting it', (text, reason) => {
    expect(readJsonText(text)).toEqual({ isJson: false, reason });
  });

  test('is detected', () => {
    expect(readJsonText(' {"a":[1]}\n')).toEqual({ isJson: true, value: { a: [1] } });
  });
});
