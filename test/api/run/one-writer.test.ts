// A run has one writer at a time: the conditions of the runs table, tried on the table itself.
import { describe, expect, test } from 'vitest';
import { newRunId } from '#lib/ids.ts';
import { endRun } from '#lib/run/end.ts';
import { appendEvent, insertRun, readEvents, readRun } from '#lib/run/run-items.ts';
import { claimRun, releaseRun } from '#lib/run/run-lease.ts';
import type { StoredEvent, StoredRun } from '#lib/run/stored-run.ts';
import '#test/support/caller.ts';
import { run } from '#test/support/stored-run.ts';

const now = Date.now();
const later = now + 60_000;

async function stored(some: Partial<StoredRun> = {}): Promise<StoredRun> {
  const fresh = run({
    run_id: newRunId(),
    generation: 0,
    lease: 'a',
    lease_until: later,
    deadline: later,
    ...some,
  });
  expect(await insertRun(fresh)).toBe(true);
  return fresh;
}

const event = (generation: number, status: StoredEvent['status'] = 'working'): StoredEvent => ({
  generation,
  at: new Date().toISOString(),
  status,
});
const append = (of: StoredRun, holder: string, some: StoredEvent) =>
  appendEvent({ run: of, event: some, lease: { holder, until: later } });

describe('the header of a run', () => {
  test('is stored once, and a second put does not change it', async () => {
    const first = await stored();
    expect(await insertRun({ ...first, lease: 'b' })).toBe(false);
    expect(await readRun(first.run_id)).toEqual(first);
  });
});

describe('a lease', () => {
  test('cannot be taken while it is valid, and by exactly one of many workers after it has expired', async () => {
    const held = await stored();
    expect(await claimRun(held, 'b', now, later)).toBe(false);
    const free = await stored({ lease_until: now - 1 });
    const claims = await Promise.all(['b', 'c', 'd', 'e'].map((lease) => claimRun(free, lease, now, later)));
    expect(claims.filter(Boolean)).toHaveLength(1);
  });

  test('cannot be taken for a run that has continued since it was read, or has ended', async () => {
    const moved = await stored({ lease_until: now - 1 });
    await appendEvent({ run: moved, event: event(1), lease: { holder: 'a', until: now - 1 } });
    expect(await claimRun(moved, 'b', now, later)).toBe(false);
    const over = await stored({ lease_until: now - 1, status: 'completed' });
    expect(await claimRun(over, 'b', now, later)).toBe(false);
  });

  test('that was taken over is useless to its former holder', async () => {
    const taken = await stored({ lease_until: now - 1 });
    expect(await claimRun(taken, 'b', now, later)).toBe(true);
    expect(await append(taken, 'a', event(1))).toBe(false);
    await releaseRun(taken, 'a');
    expect((await readRun(taken.run_id))?.lease_until).toBe(later);
    expect(await append(taken, 'b', event(1))).toBe(true);
    expect(await readEvents(taken.run_id)).toHaveLength(1);
  });

  test('that is released can be taken at once', async () => {
    const held = await stored();
    await releaseRun(held, 'a');
    expect(await claimRun(held, 'b', now, later)).toBe(true);
  });
});

describe('an event', () => {
  test('has a unique number, also with concurrent writers', async () => {
    const of = await stored();
    const written = await Promise.all([1, 2, 3, 4].map(() => append(of, 'a', event(1))));
    expect(written.filter(Boolean)).toHaveLength(1);
    expect(await append(of, 'a', event(3))).toBe(false);
    expect((await readEvents(of.run_id)).map(({ generation }) => generation)).toEqual([1]);
  });

  test.each(['completed', 'failed', 'canceled'] as const)(
    'is the last one if its status is %s',
    async (status) => {
      const of = await stored();
      expect(await append(of, 'a', event(1, status))).toBe(true);
      expect(await append(of, 'a', event(2))).toBe(false);
      expect(await endRun({ ...of, generation: 1 }, { status: 'canceled' })).toBe(status);
    },
  );

  test('that ends a run from outside needs no lease, and is retried if the worker wrote first', async () => {
    const of = await stored();
    await append(of, 'a', event(1));
    expect(await endRun(of, { status: 'canceled' })).toBe('canceled');
    expect(await readRun(of.run_id)).toMatchObject({ status: 'canceled', generation: 2 });
  });

  test('is read in order, after the last one that was seen, also if there are many', async () => {
    const of = await stored();
    for (let generation = 1; generation <= 12; generation += 1) await append(of, 'a', event(generation));
    const seen = async (after?: number) =>
      (await readEvents(of.run_id, after)).map(({ generation }) => generation);
    expect(await seen()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
    expect(await seen(9)).toEqual([10, 11, 12]);
  });
});
