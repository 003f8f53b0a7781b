import { expect, test } from 'vitest';
import { fullJitterMs, retry } from '#lib/retry.ts';

test('the first outcome ends the attempts, and each attempt gets its number', async () => {
  const seen: number[] = [];
  const attempt = async (n: number) => {
    seen.push(n);
    return n === 2 ? 'done' : undefined;
  };
  expect(await retry(attempt, { triesMax: 10, pauseMs: 1 })).toBe('done');
  expect(seen).toEqual([0, 1, 2]);
});

test('stops after the given number of attempts', async () => {
  let tries = 0;
  const attempt = async () => {
    tries += 1;
    return undefined;
  };
  expect(await retry(attempt, { triesMax: 4, pauseMs: 1 })).toBeUndefined();
  expect(tries).toBe(4);
});

test('an error is not retried', async () => {
  let tries = 0;
  const attempt = async () => {
    tries += 1;
    throw new Error('broken');
  };
  await expect(retry(attempt, { triesMax: 4, pauseMs: 1 })).rejects.toThrow('broken');
  expect(tries).toBe(1);
});

test('pauses are random, doubled each time, and bounded', () => {
  const longest = (n: number) =>
    Math.max(...Array.from({ length: 1_000 }, () => fullJitterMs(n, { pauseMs: 20, pauseMsMax: 100 })));
  for (const [n, bound] of [20, 40, 80, 100, 100].entries()) {
    expect(longest(n)).toBeLessThan(bound);
    expect(longest(n)).toBeGreaterThan(bound * 0.8);
  }
});
