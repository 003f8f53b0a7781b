import { describe, expect, test } from 'vitest';
import { isDeeperThan, jsonDepthMax } from '#lib/json-depth.ts';
import { faultIn } from '#lib/json-fault.ts';
import { readJsonText } from '#lib/json-text.ts';

const nested = (levels: number): unknown => {
  let value: unknown = 1;
  for (let n = 0; n < levels; n += 1) value = n % 2 ? [value] : { a: value };
  return value;
};
const isHostile = (key: string) => key === '__proto__';

describe('a value', () => {
  test.each([null, true, '', 0, [], {}, { a: [1, { b: null }] }])('such as %j has no fault', (value) => {
    expect(faultIn(value, isHostile)).toBeUndefined();
  });

  test('may be as deep as the table of limits says, and not one level deeper', () => {
    for (const levels of [jsonDepthMax - 1, jsonDepthMax, jsonDepthMax + 1, 200_000])
      expect(faultIn(nested(levels)) !== undefined, `${levels}`).toBe(
        isDeeperThan(nested(levels), jsonDepthMax),
      );
  });

  test('that is too deep is told with the way to the first level too many', () => {
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
  ])('of %s has a number that no double holds, at its place', (text, path) => {
    expect(faultIn(JSON.parse(text))).toMatchObject({ path, detail: expect.stringContaining('number') });
  });

  test('with a forbidden name is told where, and without the rule it is fine', () => {
    const value: unknown = JSON.parse('{"a":[{"__proto__":{"x":1}}]}');
    expect(faultIn(value, isHostile)).toMatchObject({ path: ['a', '0', '__proto__'] });
    expect(faultIn(value)).toBeUndefined();
  });
});

describe('text that is not JSON', () => {
  test.each([
    ['', 'it ends too early, after 0 characters'],
    ['{"password":"hunter2', 'it ends too early, after 20 characters'],
    ['[1,2', 'it ends too early, after 4 characters'],
    ['{"password":"hunter2",}', 'see line 1 column 23'],
    ['{\n "password" "hunter2"}', 'see line 2 column 13'],
    ['{"password":hunter2}', 'a word, a name or a sign stands where none may'],
  ])('%j: says where, and quotes nothing', (text, reason) => {
    expect(readJsonText(text)).toEqual({ isJson: false, reason });
  });

  test('is told from JSON', () => {
    expect(readJsonText(' {"a":[1]}\n')).toEqual({ isJson: true, value: { a: [1] } });
  });
});
