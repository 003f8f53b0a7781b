import { expect, test } from 'vitest';
import { waitForAll } from '#lib/infra/wait-for-all.ts';

test('work that fails is reported when the other work has ended', async () => {
  const slow = Promise.withResolvers<void>();
  const order: string[] = [];
  const failed = waitForAll([Promise.reject(new Error('first')), slow.promise]).catch((error: Error) =>
    order.push(error.message),
  );
  // As many turns as a rejection that is passed on at once takes, and more.
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
  order.push('the other ends');
  slow.resolve();
  await failed;
  expect(order).toEqual(['the other ends', 'first']);
});

test('the reason is that of the first in the list, and results keep their order', async () => {
  const late = Promise.resolve().then(() => Promise.reject(new Error('late')));
  await expect(waitForAll([late, Promise.reject(new Error('early'))])).rejects.toThrow('late');
  expect(await waitForAll([Promise.resolve(1), 'two'])).toEqual([1, 'two']);
});
