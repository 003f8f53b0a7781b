import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createFairQueue } from '#lib/run/compute/fair-queue.ts';

const drained = <T>(queue: { take: () => T | undefined }): T[] => {
  const taken: T[] = [];
  for (let item = queue.take(); item !== undefined; item = queue.take()) taken.push(item);
  return taken;
};

test('organisations are served in turn, each in the order of its items', () => {
  const queue = createFairQueue<string>();
  for (const item of ['a1', 'a2', 'a3', 'b1', 'c1', 'c2']) queue.add(item[0] ?? '', item);
  expect(drained(queue)).toEqual(['a1', 'b1', 'c1', 'a2', 'c2', 'a3']);
});

test('a new group waits for at most one item of each group with a backlog', () => {
  const queue = createFairQueue<string>();
  for (let n = 0; n < 1_000; n += 1) queue.add('evil', `evil ${n}`);
  queue.take();
  queue.add('good', 'good');
  expect([queue.take(), queue.take()]).toContain('good');
});

test('a removed item is not served, and its group does not lose its turn', () => {
  const queue = createFairQueue<string>();
  for (const item of ['a1', 'a2', 'b1', 'b2']) queue.add(item[0] ?? '', item);
  queue.remove('a', 'a1');
  queue.remove('c', 'c1');
  expect(drained(queue)).toEqual(['a2', 'b1', 'b2']);
  expect(queue.take()).toBeUndefined();
});

test('every item is served once, and no group is passed over twice while it waits', () => {
  const added = fc.array(fc.nat({ max: 5 }), { maxLength: 60 });
  fc.assert(
    fc.property(added, (groups) => {
      const queue = createFairQueue<string>();
      for (const [n, group] of groups.entries()) queue.add(`${group}`, `${group} ${n}`);
      const taken = drained(queue).map((item) => item.split(' ')[0]);
      expect(taken.toSorted()).toEqual(groups.map(String).toSorted());
      for (const [n, group] of taken.entries()) {
        const next = taken.indexOf(group, n + 1);
        const between = taken.slice(n + 1, next < 0 ? n + 1 : next);
        expect(new Set(between).size).toBe(between.length);
      }
    }),
  );
});
