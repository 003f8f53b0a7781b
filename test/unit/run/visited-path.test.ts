import { describe, expect, test } from 'vitest';
import type { LogEntry } from '#lib/flow/ports/log-entry.ts';
import { totalUsage, toUsage } from '#lib/model/usage.ts';
import { readPath } from '#lib/run/visited-path.ts';

const entry = (
  node_id: string | undefined,
  event: LogEntry['event'],
  some: Partial<LogEntry> = {},
): LogEntry => ({
  seq: 0,
  time: '2026-11-21T09:00:00.000Z',
  level: 'info',
  event,
  message: '',
  status: event === 'started' || event === 'retry' ? 'running' : 'completed',
  ...(node_id !== undefined && { node_id, node_type: 'http' }),
  ...some,
});
const shortened = (logs: readonly LogEntry[]) =>
  readPath(logs).map(({ node_id, scope, visit, status }) => [scope, node_id, visit, status]);

describe('the path of a run', () => {
  test('has each execution of a node in the order of its start, with its outcome', () => {
    const logs = [
      entry(undefined, 'run_started'),
      entry('a', 'started'),
      entry('a', 'retry'),
      entry('a', 'completed', { duration_ms: 7 }),
      entry('b', 'started'),
      entry('b', 'caught', { status: 'failed' }),
      entry('a', 'started'),
    ];
    expect(shortened(logs)).toEqual([
      [undefined, 'a', 1, 'completed'],
      [undefined, 'b', 1, 'failed'],
      [undefined, 'a', 2, 'running'],
    ]);
    expect(readPath(logs)[0]?.duration_ms).toBe(7);
  });

  test('has the time in which a node waited', () => {
    const logs = [
      entry('a', 'started'),
      entry('a', 'paused', { status: 'running' }),
      entry('a', 'resumed', { status: 'running', time: '2026-11-21T10:00:00.000Z' }),
      entry('a', 'completed', { duration_ms: 7, time: '2026-11-21T10:00:00.007Z' }),
    ];
    expect(readPath(logs)).toMatchObject([{ status: 'completed', duration_ms: 3_600_007 }]);
  });

  test('distinguishes nodes of the same name by their scope', () => {
    const inside = (scope: string, event: LogEntry['event']) => entry('a', event, { scope });
    expect(
      shortened([
        inside('each.1.0', 'started'),
        inside('each.1.1', 'started'),
        inside('each.1.0', 'completed'),
      ]),
    ).toEqual([
      ['each.1.0', 'a', 1, 'completed'],
      ['each.1.1', 'a', 1, 'running'],
    ]);
  });

  test('has no running node once the run was ended from outside', () => {
    const logs = [entry('a', 'started'), entry('a', 'completed'), entry('b', 'started')];
    const path = readPath(logs, { status: 'canceled', at: '2026-11-21T09:00:02.500Z' });
    expect(path).toMatchObject([{ status: 'completed' }, { status: 'canceled', duration_ms: 2_500 }]);
  });

  test('is empty for a run that has not started', () => {
    expect(readPath([])).toEqual([]);
  });
});

describe('the token usage of models', () => {
  const models = {
    cheap: { provider: 'bedrock', model: 'small', price: { input: 1, output: 4 } },
    free: { provider: 'bedrock', model: 'unknown' },
  } as const;
  const answer = (model: string) => ({ output: '', model, tokens: { input: 1_000, output: 500 } });

  test('is priced by the million tokens', () => {
    const usage = toUsage(answer('bedrock/small'), { models });
    expect(usage).toEqual({ model: 'bedrock/small', input: 1_000, output: 500, cost: 0.003 });
    expect(totalUsage([usage, usage])).toEqual({
      tokens: { input: 2_000, output: 1_000 },
      cost_estimate: 0.006,
      currency: 'USD',
    });
  });

  test('has no cost if a model has no price, and costs nothing without tokens', () => {
    const unknown = toUsage(answer('bedrock/unknown'), { models });
    expect(totalUsage([toUsage(answer('bedrock/small'), { models }), unknown]).cost_estimate).toBeNull();
    expect(totalUsage([])).toEqual({
      tokens: { input: 0, output: 0 },
      cost_estimate: 0,
      currency: 'USD',
    });
  });
});
