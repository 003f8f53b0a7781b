import { expect, test } from 'vitest';
import { contend } from '#lib/registry/retry-on-conflict.ts';

test('the first outcome ends the tries, and each knows its number', async () => {
  const seen: number[] = [];
  const outcome = await contend(async (n) => {
    seen.push(n);
    return n === 2 ? 'done' : undefined;
  });
  expect([outcome, seen]).toEqual(['done', [0, 1, 2]]);
});

test('it gives up after the tries it was given', async () => {
  let tries = 0;
  const outcome = await contend(async () => {
    tries += 1;
    return undefined;
  }, 4);
  expect([outcome, tries]).toEqual([undefined, 4]);
});

test('an error is not tried again', async () => {
  let tries = 0;
  const attempt = contend(async () => {
    tries += 1;
    throw new Error('broken');
  });
  await expect(attempt).rejects.toThrow('broken');
  expect(tries).toBe(1);
});
