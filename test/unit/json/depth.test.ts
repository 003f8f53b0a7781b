// The depth of a text is that of the value it is parsed to.
import { describe, expect, test } from 'vitest';
import { isDeeperThan, isTextDeeperThan } from '#lib/json/depth.ts';

const nested = (levels: number) => `${'['.repeat(levels)}1${']'.repeat(levels)}`;

describe.each([
  ['lists', nested(3)],
  ['objects', '{"a":{"b":{"c":1}}}'],
  ['neighbours', '[[1],[2],[3],{"a":[4]},[[5]]]'],
  ['brackets in strings', '["[[[[{{{{", "]]]]", [1]]'],
  ['escaped quotes', String.raw`["\"[[[[", "\\", [[1]]]`],
  ['no container', '"[[["'],
])('%s', (_what, text) => {
  test.each([0, 1, 2, 3, 4])('are compared with %i levels', (levels) => {
    expect(isTextDeeperThan(text, levels)).toBe(isDeeperThan(JSON.parse(text), levels));
  });
});

test('a megabyte of brackets is read up to the limit', () => {
  expect(isTextDeeperThan(nested(500_000), 100)).toBe(true);
});
