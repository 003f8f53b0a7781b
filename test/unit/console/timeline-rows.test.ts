import { describe, expect, test } from 'vitest';
import { formatAgo, formatDuration } from '#lib/console/parts/format.ts';
import { toRows, visibleRows } from '#lib/console/runs/timeline-rows.ts';
import type { NodeVisit } from '#lib/run/visited-path.ts';

const zero = Date.UTC(2027, 0, 1);
const visit = (node_id: string, startMs: number, duration_ms?: number, scope?: string): NodeVisit => ({
  node_id,
  visit: 1,
  status: duration_ms === undefined ? 'running' : 'completed',
  started_at: new Date(zero + startMs).toISOString(),
  ...(duration_ms !== undefined && { duration_ms }),
  ...(scope !== undefined && { scope }),
});

describe('the timeline', () => {
  const visits = [
    visit('each', 0, 800),
    visit('price', 0, 400, 'each.1.0'),
    visit('price', 400, 400, 'each.1.1'),
    visit('done', 800, 200),
  ];

  test('bars are shares of the time from the first start to the last end', () => {
    const rows = toRows(visits, zero + 1_000);
    expect(rows.map(({ from, width }) => [from, width])).toEqual([
      [0, 0.8],
      [0, 0.4],
      [0.4, 0.4],
      [0.8, 0.2],
    ]);
  });

  test('what still runs reaches to the present', () => {
    const [row] = toRows([visit('slow', 0)], zero + 4_000);
    expect(row).toMatchObject({ from: 0, width: 1 });
  });

  test('nodes of a scope are below the node that has it, and fold with it', () => {
    const rows = toRows(visits, zero + 1_000);
    expect(rows.map(({ level, hasChildren }) => [level, hasChildren])).toEqual([
      [1, true],
      [2, false],
      [2, false],
      [1, false],
    ]);
    const closed = new Set([rows[0]?.key ?? '']);
    expect(visibleRows(rows, closed).map((row) => row.visit.node_id)).toEqual(['each', 'done']);
    expect(visibleRows(rows, new Set())).toHaveLength(4);
  });
});

test.each([
  [640, '640 ms'],
  [4_230, '4.2 s'],
  [42_300, '42 s'],
  [200_000, '3 min 20 s'],
  [5_400_000, '1 h 30 min'],
])('%i ms is %s', (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});

test('a time is told as long ago as it is', () => {
  const time = new Date(zero).toISOString();
  expect(formatAgo(time, zero + 1_000)).toBe('just now');
  expect(formatAgo(time, zero + 120_000)).toBe('2m ago');
  expect(formatAgo(time, zero + 5 * 86_400_000)).toBe('1 Jan');
});
