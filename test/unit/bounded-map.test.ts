// What the maps forget that a process remembers things in. The clock of the tests is set by them.
import { expect, onTestFinished, test, vi } from 'vitest';
import { boundedMap } from '#lib/bounded-map.ts';

test('the entry that was not used for longest is forgotten first', () => {
  const map = boundedMap<string, number>({ entriesMax: 2 });
  map.set('a', 1);
  map.set('b', 2);
  expect(map.get('a')).toBe(1);
  map.set('c', 3);
  expect([...map.entries()]).toEqual([
    ['a', 1],
    ['c', 3],
  ]);
});

test('to set an entry again is a use of it, and takes no further place', () => {
  const map = boundedMap<string, number>({ entriesMax: 2 });
  map.set('a', 1);
  map.set('b', 2);
  map.set('a', 3);
  map.set('c', 4);
  expect([map.get('a'), map.get('b'), map.get('c')]).toEqual([3, undefined, 4]);
});

test('an entry is kept for its time, however often it is used, and not longer', () => {
  let now = 0;
  const map = boundedMap<string, number>({ entriesMax: 9, keptMs: 100, now: () => now });
  map.set('a', 1);
  map.set('b', 2, 50);
  now = 50;
  expect([map.get('a'), map.get('b')]).toEqual([1, 2]);
  now = 51;
  expect([...map.entries()]).toEqual([['a', 1]]);
  expect(map.get('b')).toBeUndefined();
  now = 100;
  expect(map.get('a')).toBe(1);
  now = 101;
  expect(map.get('a')).toBeUndefined();
});

test('entries are forgotten until all have the size that is allowed', () => {
  const map = boundedMap<string, string>({ entriesMax: 9, sizeMax: 10, sizeOf: (text) => text.length });
  map.set('a', '1234');
  map.set('b', '1234');
  map.set('b', '12');
  map.set('c', '1234');
  expect([...map.entries()].map(([key]) => key)).toEqual(['a', 'b', 'c']);
  map.set('d', '12345');
  expect([...map.entries()].map(([key]) => key)).toEqual(['c', 'd']);
});

test('an entry that alone is too large is not kept, and neither is the former one', () => {
  const map = boundedMap<string, string>({ entriesMax: 9, sizeMax: 3, sizeOf: (text) => text.length });
  map.set('a', '123');
  map.set('b', '1234');
  expect([map.get('a'), map.get('b')]).toEqual(['123', undefined]);
  map.set('a', '1234');
  expect(map.get('a')).toBeUndefined();
});

test('a deleted entry leaves its size to others', () => {
  const map = boundedMap<string, string>({ entriesMax: 9, sizeMax: 4, sizeOf: (text) => text.length });
  map.set('a', '1234');
  map.delete('a');
  map.delete('a');
  map.set('b', '1234');
  map.set('c', '');
  expect([...map.entries()].map(([key]) => key)).toEqual(['b', 'c']);
});

test('entries may be deleted while they are listed', () => {
  const map = boundedMap<string, number>({ entriesMax: 9 });
  for (const n of [1, 2, 3]) map.set(`${n}`, n);
  for (const [key, n] of map.entries()) if (n < 3) map.delete(key);
  expect([...map.entries()]).toEqual([['3', 3]]);
});

test('the clock is that of the process at each look', () => {
  vi.useFakeTimers({ toFake: ['Date'], now: 0 });
  onTestFinished(() => void vi.useRealTimers());
  const map = boundedMap<string, number>({ entriesMax: 9, keptMs: 100 });
  map.set('a', 1);
  vi.setSystemTime(101);
  expect(map.get('a')).toBeUndefined();
});
