import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { newWindowCounter } from '#lib/limits/window-counter.ts';
import { seed } from '#test/support/seed.ts';

const start = Date.parse('2026-01-01T00:00:00Z');

/** What all processes share, and how often it was asked. */
function shared() {
  const counts = new Map<string, number>();
  const asked: number[] = [];
  const add = async (id: string, window: number, count: number) => {
    asked.push(count);
    const total = (counts.get(`${id} ${window}`) ?? 0) + count;
    counts.set(`${id} ${window}`, total);
    return total;
  };
  return { add, asked };
}

async function allowed(take: ReturnType<typeof newWindowCounter>, times: number, nowMs = start) {
  const turns = [];
  for (let n = 0; n < times; n += 1) turns.push(await take('a', 100, nowMs));
  return turns.filter((turn) => turn.isAllowed).length;
}

describe('one process', () => {
  test('allows exactly the quota in each window', async () => {
    const take = newWindowCounter(shared().add);
    expect(await allowed(take, 300)).toBe(100);
    expect(await allowed(take, 300, start + 9_999)).toBe(0);
    expect(await allowed(take, 300, start + 10_000)).toBe(100);
  });

  test('allows exactly the quota to requests at the same time, whose counts arrive in another order', async () => {
    const { add } = shared();
    const late: (() => void)[] = [];
    const take = newWindowCounter(async (...count) => {
      const total = await add(...count);
      if (late.length < 10) await new Promise<void>((resolve) => late.push(resolve));
      return total;
    });
    const flood = Promise.all(Array.from({ length: 25 }, async () => await take('a', 10, start)));
    await new Promise((resolve) => setImmediate(resolve));
    for (const answer of late.reverse()) answer();
    expect((await flood).filter(({ isAllowed }) => isAllowed)).toHaveLength(10);
    expect((await take('a', 10, start)).isAllowed).toBe(false);
  });

  test('counts each caller separately', async () => {
    const take = newWindowCounter(shared().add);
    await allowed(take, 300);
    expect((await take('b', 100, start)).isAllowed).toBe(true);
  });

  test('returns the remaining quota and the end of the window', async () => {
    const take = newWindowCounter(shared().add);
    expect(await take('a', 100, start + 2_500)).toEqual({
      isAllowed: true,
      quota: 100,
      remaining: 99,
      resetSeconds: 8,
    });
    await allowed(take, 99);
    expect(await take('a', 100, start + 9_999)).toMatchObject({
      isAllowed: false,
      remaining: 0,
      resetSeconds: 1,
    });
  });

  test('makes no call until a tenth of the quota is used, and none for refused requests', async () => {
    const { add, asked } = shared();
    const take = newWindowCounter(add);
    await allowed(take, 9);
    expect(asked).toEqual([]);
    await allowed(take, 1_000);
    expect(asked).toEqual(Array.from({ length: 10 }, () => 10));
  });
});

test('many processes together exceed the quota by at most a tenth of it for each of them', async () => {
  const calls = fc.array(fc.nat({ max: 7 }), { minLength: 200, maxLength: 1_000 });
  const property = fc.asyncProperty(calls, async (order) => {
    const { add } = shared();
    const processes = Array.from({ length: 8 }, () => newWindowCounter(add));
    let total = 0;
    for (const n of order) {
      if ((await processes[n]?.('a', 100, start))?.isAllowed) total += 1;
    }
    expect(total).toBeGreaterThanOrEqual(Math.min(order.length, 100));
    expect(total).toBeLessThanOrEqual(100 + 8 * 10);
  });
  await fc.assert(property, { seed, numRuns: 50 });
});
