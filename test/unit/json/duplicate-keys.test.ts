import fc from 'fast-check';
import { expect, test } from 'vitest';
import { repeatedNames } from '#lib/json/duplicate-keys.ts';

test.each([
  ['{"a":1,"a":2}', [{ path: ['a'], line: 1 }]],
  ['{"a":{"x":1},\n"b":[0,{"x":1,\n"y":"\\"x\\":","x":2}]}', [{ path: ['b', 1, 'x'], line: 3 }]],
  [
    '{"a":1,"\\u0061":2,"a":3}',
    [
      { path: ['a'], line: 1 },
      { path: ['a'], line: 1 },
    ],
  ],
  ['[{"a":1},{"a":1},["a","a"],{"b":{"a":[]},"a":{}}]', []],
  ['"a"', []],
])('%s has the duplicate keys %j', (text, expected) => {
  expect(repeatedNames(text)).toEqual(expected);
});

test('JSON that was written from a value has no duplicate keys', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      expect(repeatedNames(JSON.stringify(JSON.parse(text), null, 1))).toEqual([]);
    }),
  );
});

test('deeply nested text is read', () => {
  const text = `${'{"a":['.repeat(50_000)}{"b":1,"b":2}${']}'.repeat(50_000)}`;
  expect(repeatedNames(text)).toHaveLength(1);
});

test.each([
  ['letters', 'x'],
  ['escapes', '\\"'],
])('a text of 12 MB of %s is read', (_what, part) => {
  const text = `{"a":1,"b":"${part.repeat(12_000_000 / part.length)}","a":2}`;
  expect(repeatedNames(text)).toEqual([{ path: ['a'], line: 1 }]);
});
