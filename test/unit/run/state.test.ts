import { describe, expect, test } from 'vitest';
import { inlineLeaseMs, leaseMs, lookAfterMs, marginMs } from '#lib/run/lease-times.ts';
import { runResult, runState, statusAt, viewRun, viewRunAt } from '#lib/run/state.ts';
import { graceMs, isAbandonedAt } from '#lib/run/stored-run.ts';
import { run } from '#test/support/stored-run.ts';

const at = '2026-11-21T09:00:01.000Z';

describe('a run in progress', () => {
  test.each([
    ['within its time', 2_000, false],
    ['while its end may still be written', 2_000 + graceMs, false],
    ['after that', 2_001 + graceMs, true],
  ])('and %s has the same state for all readers', (_when, now, isAbandoned) => {
    for (const lease_until of [0, now + 1_000]) {
      const working = run({ status: 'working', mode: 'queued', lease_until, deadline: 2_000 });
      expect(isAbandonedAt(now, working)).toBe(isAbandoned);
      expect(statusAt(now, working)).toBe(isAbandoned ? 'failed' : 'pending');
    }
  });

  const inline = { status: 'working', lease_until: 1_000, deadline: 90_000 } as const;

  test('and that a request executes has failed once its lease has expired', () => {
    expect(isAbandonedAt(1_000 + marginMs, run(inline))).toBe(false);
    expect(isAbandonedAt(1_001 + marginMs, run(inline))).toBe(true);
  });

  test('and whose queue message is delivered again is not failed by an expired lease', () => {
    expect(isAbandonedAt(1_000 + leaseMs, run({ ...inline, mode: 'queued' }))).toBe(false);
  });

  test('and whose process was killed has failed within 30 seconds', () => {
    expect(inlineLeaseMs + marginMs + lookAfterMs).toBeLessThan(30_000);
  });

  test.each(['input_required', 'auth_required'] as const)('and is %s has no time limit', (status) => {
    expect(isAbandonedAt(Number.MAX_SAFE_INTEGER, run({ status }))).toBe(false);
  });
});

describe('a run that has ended', () => {
  test.each(['completed', 'failed', 'canceled'] as const)('stays %s forever', (status) => {
    expect(isAbandonedAt(Number.MAX_SAFE_INTEGER, run({ status }))).toBe(false);
  });

  test('is assembled from its events', () => {
    const entry = { seq: 0, time: at, level: 'info', event: 'run_started', message: 'x', status: 'running' };
    const view = viewRun(run({ status: 'completed', generation: 2 }), [
      {
        generation: 1,
        at,
        status: 'working',
        logs: JSON.stringify([entry]),
        replies: '[{"node_id":"a","text":"Hi"},{"node_id":"b"}]',
      },
      {
        generation: 2,
        at,
        status: 'completed',
        logs: JSON.stringify([{ ...entry, seq: 1 }]),
        response: '{"a":1}',
      },
    ]);
    expect(view.replies.map(({ id }) => id)).toEqual(['1-0', '1-1']);
    expect(runState(view)).toMatchObject({ response: { a: 1 }, logs: [{ seq: 0 }, { seq: 1 }], error: null });
  });
});

describe('a run as it was at an earlier generation', () => {
  const created_at = '2026-11-21T09:00:00.000Z';
  const times = [1, 2, 3].map((n) => `2026-11-21T09:00:0${n}.000Z`);
  const events = (['working', 'input_required', 'working'] as const).map((status, n) => ({
    generation: n + 1,
    at: times[n] ?? '',
    status,
  }));
  const view = (some: object) => viewRun(run({ generation: 3, created_at, ...some }), events);
  const past = (some: object) =>
    [0, 1, 2, 3].map((generation) => {
      const { status, statusTimestamp } = viewRunAt(view(some), generation);
      return [status, statusTimestamp];
    });
  const later = [
    ['input_required', times[1]],
    ['working', times[2]],
  ];

  test.each([
    ['its request executes', { mode: 'inline' }],
    ['its request executed before it was paused', { mode: 'queued', began_inline: true }],
  ])('is working from its start if %s', (_, some) => {
    expect(past(some)).toEqual([['working', created_at], ['working', created_at], ...later]);
  });

  test('is submitted until its first event if a worker executes it', () => {
    expect(past({ mode: 'queued' })).toEqual([['submitted', created_at], ['working', times[0]], ...later]);
  });
});

test('a run that was canceled while its caller waits has a failed result with that reason', () => {
  expect(runResult('id', { status: 'lost', logs: [] })).toEqual({
    workflow_id: 'id',
    response: {},
    status: 'failed',
    logs: [],
    requires_input: false,
    error: 'The run was canceled.',
  });
});
