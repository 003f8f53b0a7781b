import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Resource, type Scenario, simulate } from '#test/support/scale/model.ts';

/** Always the middle, so that as many arrive in each second: about the rate. */
const steady = () => 0.5;

const scenario = (some: Partial<Scenario>): Scenario => ({
  rate: 100,
  resources: [],
  runSeconds: 2,
  isQueued: false,
  seconds: 300,
  random: steady,
  ...some,
});
const partition = (limit: number, use: number): Resource => ({ name: 'partition', limit, use });
const workers = (limit: number): Resource => ({ name: 'workers', limit, isConcurrent: true, use: 1 });

describe('what is begun in a second', () => {
  test('is all that arrives where nothing limits it', () => {
    expect(simulate(scenario({}))).toMatchObject({ refused: 0, waited: 0, first: undefined });
  });

  test('is the limit of a partition by the units of a run', () => {
    const { served, first } = simulate(scenario({ rate: 1_000, resources: [partition(900, 3)] }));
    expect(served).toBe(300);
    expect(first).toEqual({ name: 'partition', second: 1 });
  });

  test('is the number of workers by the time of a run', () => {
    const { served } = simulate(scenario({ resources: [workers(50)], runSeconds: 5 }));
    expect(served).toBe(10);
  });

  test('never needs more than a resource has', () => {
    const limits = fc.integer({ min: 1, max: 5_000 });
    const uses = fc.integer({ min: 1, max: 12 });
    const rates = fc.integer({ min: 1, max: 3_000 });
    fc.assert(
      fc.property(limits, uses, rates, fc.boolean(), (limit, use, rate, isQueued) => {
        const { served } = simulate(scenario({ rate, isQueued, resources: [partition(limit, use)] }));
        expect(served * use).toBeLessThanOrEqual(limit);
      }),
    );
  });
});

describe('what exceeds a limit', () => {
  test('is refused where callers wait', () => {
    const { refused, waited } = simulate(scenario({ rate: 400, resources: [partition(300, 3)] }));
    expect(refused).toBeGreaterThan(0.7);
    expect(waited).toBe(0);
  });

  test('waits where events are queued, longer and longer', () => {
    const slow = { rate: 200, isQueued: true, resources: [partition(100, 1)] };
    const { refused, waited } = simulate(scenario(slow));
    expect(refused).toBe(0);
    expect(waited).toBeGreaterThan(120);
    expect(simulate(scenario({ ...slow, seconds: 600 })).waited).toBeGreaterThan(waited);
  });

  test('is refused at the door of a queue', () => {
    const door = { name: 'door', limit: 50, use: 1, isDoor: true };
    const { refused, waited } = simulate(
      scenario({ rate: 200, isQueued: true, resources: [door, partition(100, 1)] }),
    );
    expect(refused).toBeGreaterThan(0.7);
    expect(waited).toBe(0);
  });
});
