import { describe, expect, test } from 'vitest';
import { runResult, runState, viewRun } from '#lib/run/state.ts';
import { run } from '#test/support/stored-run.ts';

const at = '2026-11-21T09:00:01.000Z';

describe('a run that is not over', () => {
  test.each([
    ['inline', 'while its lease holds', { mode: 'inline', lease_until: 1_000 }, 999, 'pending'],
    ['inline', 'after its lease', { mode: 'inline', lease_until: 1_000 }, 1_001, 'failed'],
    [
      'queued',
      'after its lease, within its time',
      { mode: 'queued', lease_until: 0, deadline: 2_000 },
      1_999,
      'pending',
    ],
    [
      'queued',
      'after its time, while somebody holds it',
      { mode: 'queued', lease_until: 3_000, deadline: 2_000 },
      2_001,
      'pending',
    ],
    ['queued', 'after its time', { mode: 'queued', lease_until: 0, deadline: 2_000 }, 2_001, 'failed'],
  ] as const)('and %s, %s', (_mode, _when, some, now, status) => {
    const state = runState(viewRun(run(some), [], now));
    expect(state).toMatchObject({ status, response: {} });
    expect(state.error === null).toBe(status === 'pending');
  });
});

describe('a run that is over', () => {
  test.each(['completed', 'failed', 'canceled'] as const)('stays %s, however much time goes by', (status) => {
    expect(runState(viewRun(run({ status }), [], Number.MAX_SAFE_INTEGER)).status).toBe(status);
  });

  test('is put together from its events', () => {
    const entry = { seq: 0, time: at, level: 'info', event: 'run_started', message: 'x', status: 'running' };
    const view = viewRun(
      run({ status: 'completed', generation: 2 }),
      [
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
      ],
      0,
    );
    expect(view.replies.map(({ id }) => id)).toEqual(['1-0', '1-1']);
    expect(runState(view)).toMatchObject({ response: { a: 1 }, logs: [{ seq: 0 }, { seq: 1 }], error: null });
  });
});

test('a run that was canceled under its caller is a failed result that says so', () => {
  expect(runResult('id', { status: 'lost', logs: [] })).toEqual({
    workflow_id: 'id',
    response: {},
    status: 'failed',
    logs: [],
    requires_input: false,
    error: 'The run was canceled.',
  });
});
