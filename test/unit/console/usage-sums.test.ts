import { describe, expect, test } from 'vitest';
import { defaultRange, listPeriods, sumAll, toBars, toLines } from '#lib/console/usage/sums.ts';
import type { UsageRow } from '#lib/usage/usage.ts';

const row = (period: string, model: string, cost: number, some: Partial<UsageRow> = {}): UsageRow => ({
  period,
  model,
  calls: 1,
  tokens: { input: 100, output: 10, cached: 40, cache_write: 5 },
  cost_estimate: cost,
  unpriced_calls: 0,
  currency: 'USD',
  ...some,
});
const labelOf = ({ model = '' }: UsageRow) => model;
const rows = [row('2026-10-01', 'a', 1), row('2026-10-01', 'b', 4), row('2026-10-03', 'a', 2)];

test('the total is the sum of all rows, with the tokens of the cache', () => {
  expect(sumAll(rows)).toEqual({
    calls: 3,
    input: 300,
    output: 30,
    cached: 120,
    written: 15,
    cost: 7,
    unpriced: 0,
  });
});

describe('rows of the table', () => {
  const shown = (options: Parameters<typeof toLines>[1]) =>
    toLines(rows, options).map(({ period, label, cost }) => [period, label, cost]);

  test('are those of the group, of the period, or of both', () => {
    expect(shown({ byPeriod: false, labelOf })).toEqual([
      [undefined, 'a', 3],
      [undefined, 'b', 4],
    ]);
    expect(shown({ byPeriod: true })).toEqual([
      ['2026-10-01', undefined, 5],
      ['2026-10-03', undefined, 2],
    ]);
    expect(shown({ byPeriod: true, labelOf })).toHaveLength(3);
  });
});

describe('the picture', () => {
  const periods = listPeriods('2026-10-01', '2026-10-03', 'day');

  test('has a bar for each period, the largest series first', () => {
    const { series, bars, most } = toBars(rows, { measure: 'cost', periods, labelOf, others: 'Others' });
    expect(series).toEqual([
      { label: 'b', total: 4 },
      { label: 'a', total: 3 },
    ]);
    expect(bars.map(({ parts }) => parts)).toEqual([
      [4, 1],
      [0, 0],
      [0, 2],
    ]);
    expect(most?.period).toBe('2026-10-01');
  });

  test('adds up what is beyond six series', () => {
    const many = [1, 2, 3, 4, 5, 6, 7, 8].map((cost) => row('2026-10-01', `m${cost}`, cost));
    const { series, bars } = toBars(many, { measure: 'cost', periods, labelOf, others: 'Others' });
    expect(series.map(({ label }) => label)).toEqual(['m8', 'm7', 'm6', 'm5', 'm4', 'Others']);
    expect(bars[0]?.parts).toEqual([8, 7, 6, 5, 4, 6]);
    expect(
      toBars(many.slice(0, 6), { measure: 'cost', periods, labelOf, others: 'Others' }).series,
    ).toHaveLength(6);
  });
});

test.each([
  ['2026-10-30', '2026-11-02', 'day', ['2026-10-30', '2026-10-31', '2026-11-01', '2026-11-02']],
  ['2026-10-30', '2026-11-02', 'month', ['2026-10', '2026-11']],
  ['2026-11-02', '2026-10-30', 'day', []],
  ['no day', '2026-10-30', 'day', []],
] as const)('from %s to %s by %s', (from, to, by, periods) => {
  expect(listPeriods(from, to, by)).toEqual(periods);
});

test('by default the range is this month, or the last twelve', () => {
  expect(defaultRange('day', '2026-03-15')).toEqual({ from: '2026-03-01', to: '2026-03-15' });
  expect(defaultRange('month', '2026-03-15')).toEqual({ from: '2025-04-01', to: '2026-03-15' });
});
