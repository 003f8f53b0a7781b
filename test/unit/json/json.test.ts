import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { json, jsonObject } from '#lib/json/json.ts';
import { describeIssue } from '#lib/zod-messages.ts';

const withoutPrototypes = fc
  .jsonValue({ maxDepth: 3 })
  .filter((value) => !JSON.stringify(value).includes('__proto__'));

describe('the schema of JSON', () => {
  test('accepts every parsed value, like the schema of zod', () => {
    fc.assert(
      fc.property(withoutPrototypes, (value) => {
        expect(json.parse(value)).toEqual(z.json().parse(value));
      }),
    );
  });

  test.each([
    undefined,
    () => 0,
    1n,
    Symbol('s'),
    Number.NaN,
    new Date(),
    new Uint8Array(1),
    [undefined],
    { a: undefined },
  ])('refuses %s', (value) => {
    expect(json.safeParse(value).success).toBe(false);
    expect(json.safeParse({ a: [value] }).success).toBe(false);
  });

  test('drops members that lead to a prototype', () => {
    const parsed = json.parse(JSON.parse('{"a":[{"__proto__":{"b":1},"c":1}],"__proto__":1}'));
    expect(JSON.stringify(parsed)).toBe('{"a":[{"c":1}]}');
  });

  test('of an object refuses other values with that reason', () => {
    const refusal = (value: unknown) =>
      z.strictObject({ a: jsonObject }).safeParse(value, { error: describeIssue }).error?.issues;
    expect(refusal({ a: [] })).toMatchObject([{ path: ['a'], message: 'must be an object, not a list' }]);
    expect(refusal({ a: null })).toMatchObject([{ path: ['a'], message: 'must be an object, not null' }]);
    expect(refusal({})).toMatchObject([{ path: ['a'], message: 'is required: must be an object' }]);
    expect(refusal({ a: { b: [{}] } })).toBeUndefined();
  });

  test('checks a million members in less than two seconds of CPU', () => {
    const value: unknown = JSON.parse(`{"a":[${'{},'.repeat(1_000_000)}0]}`);
    const before = process.cpuUsage();
    expect(json.safeParse(value).success).toBe(true);
    expect(process.cpuUsage(before).user).toBeLessThan(2_000_000);
  });
});
