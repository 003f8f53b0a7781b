import { expect, test } from 'vitest';
import { addUsage } from '#lib/run/execution-usage.ts';
import type { NodeVisit } from '#lib/run/visited-path.ts';
import { used } from '#test/support/usage.ts';

const visit = (node_id: string, some: Partial<NodeVisit> = {}): NodeVisit => ({
  node_id,
  visit: 1,
  status: 'completed',
  started_at: '2026-11-21T09:00:00.000Z',
  ...some,
});
const costs = (...args: Parameters<typeof addUsage>) =>
  addUsage(...args).map(({ cost_estimate }) => cost_estimate);
const { cost: _, ...unpriced } = used();

test('each execution has the sum of its own calls, also of one node in a loop or in items', () => {
  const path = [
    visit('ask'),
    visit('ask', { visit: 2 }),
    visit('each'),
    visit('ask', { scope: 'each.1.0' }),
    visit('ask', { scope: 'each.1.1' }),
  ];
  const usage = [
    used({ execution: 'ask.1', cost: 0.1 }),
    used({ execution: 'each.1.1.ask.1', cost: 0.002 }),
    used({ execution: 'ask.1', cost: 0.2 }),
    used({ execution: 'each.1.0.ask.1', cost: 0.001 }),
    used({ execution: 'ask.2', cost: 0.5 }),
  ];
  expect(costs(path, usage)).toEqual([0.3, 0.5, undefined, 0.001, 0.002]);
});

test('an execution that called a model without a price has no cost, and its others have theirs', () => {
  const usage = [
    { ...unpriced, execution: 'ask.1' },
    used({ execution: 'ask.1', cost: 0.1 }),
    used({ execution: 'check.1', cost: 0.2 }),
  ];
  const path = addUsage([visit('ask'), visit('check')], usage);
  const one = { input: 100, output: 10 };
  expect(path).toEqual([
    visit('ask', { tokens: { input: 200, output: 20 } }),
    visit('check', { tokens: one, cost_estimate: 0.2 }),
  ]);
});

test('cached tokens are part of the sum', () => {
  const usage = [used({ execution: 'ask.1', cached: 7 }), used({ execution: 'ask.1', cache_write: 3 })];
  const [ask] = addUsage([visit('ask')], usage);
  expect(ask?.tokens).toEqual({ input: 200, output: 20, cached: 7, cache_write: 3 });
});

test('usage of which no execution is recorded is the cost of none', () => {
  expect(costs([visit('ask')], [used()])).toEqual([undefined]);
});
