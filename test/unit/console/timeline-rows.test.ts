import { describe, expect, test } from 'vitest';
import { formatAgo, formatDuration } from '#lib/console/parts/format.ts';
import type { LogEntry } from '#lib/console/runs/run-events.ts';
import { findTellingVisit, findVisited, markRun } from '#lib/console/runs/run-marks.ts';
import {
  findRetries,
  findWaits,
  itemsPerPage,
  listRows,
  type Timeline,
  type TimelineState,
  type Wait,
} from '#lib/console/runs/timeline-rows.ts';
import { buildGraph } from '#lib/drawing/graph.ts';
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

const list = (visits: readonly NodeVisit[], some: Partial<TimelineState> = {}) =>
  listRows(visits, {
    now: zero + 1_000,
    toggled: new Set(),
    pages: new Map(),
    waits: [],
    retries: [],
    ...some,
  });
const listVisits = (timeline: Timeline) => timeline.rows.filter((row) => row.kind === 'visit');

describe('the timeline', () => {
  const visits = [
    visit('each', 0, 800),
    visit('price', 0, 400, 'each.1.0'),
    visit('price', 400, 400, 'each.1.1'),
    visit('done', 800, 200),
  ];

  test('bars are shares of the time from the first start to the last end', () => {
    expect(listVisits(list(visits)).map(({ from, width }) => [from, Math.round(width * 100) / 100])).toEqual([
      [0, 0.8],
      [0, 0.4],
      [0.4, 0.4],
      [0.8, 0.2],
    ]);
  });

  test('what still runs reaches to the present', () => {
    const [row] = list([visit('slow', 0)], { now: zero + 4_000 }).rows;
    expect(row).toMatchObject({ from: 0, width: 1 });
  });

  test('nodes of a scope are below the node that has it, and fold with it', () => {
    const rows = listVisits(list(visits));
    expect(rows.map(({ level, hasChildren }) => [level, hasChildren])).toEqual([
      [1, true],
      [2, false],
      [2, false],
      [1, false],
    ]);
    const folded = listVisits(list(visits, { toggled: new Set([rows[0]?.key ?? '']) }));
    expect(folded.map((row) => row.visit.node_id)).toEqual(['each', 'done']);
  });

  test('a map of 1,000 items is one row with counts; opened, it has pages with the failed items first', () => {
    const items = Array.from({ length: 1_000 }, (_, n) => ({
      ...visit('price', n, n === 999 ? undefined : 1, `each.1.${n}`),
      ...(n === 700 && { status: 'failed' as const }),
    }));
    const many = [visit('each', 0, 1_000), ...items];
    const [row, ...others] = list(many).rows;
    expect(others).toEqual([]);
    expect(row).toMatchObject({ isClosed: true, items: { all: 1_000, failed: 1, running: 1 } });
    const toggled = new Set([row?.key ?? '']);
    const open = list(many, { toggled }).rows;
    expect(open).toHaveLength(1 + itemsPerPage + 1);
    expect(open.slice(1, 3).map((each) => each.kind === 'visit' && each.visit.status)).toEqual([
      'failed',
      'running',
    ]);
    expect(open.at(-1)).toMatchObject({ kind: 'more', hidden: 950 });
    const pages = new Map([[row?.key ?? '', 20]]);
    expect(list(many, { toggled, pages }).rows).toHaveLength(1_001);
  });

  test('a wait of more than a tenth of the whole collapses to a gap, and work does not', () => {
    const hour = 3_600_000;
    const asked = [visit('plan', 0, 1_000), visit('approve', 1_000, hour), visit('pay', hour + 1_000, 1_000)];
    const waits = [{ scope: '', node_id: 'approve', from: zero + 1_000, to: zero + hour + 1_000 }];
    const { gaps } = list(asked, { waits });
    expect(gaps.map(({ ms }) => ms)).toEqual([hour]);
    const widths = listVisits(list(asked, { waits })).map(({ width }) => Math.round(width * 1_000) / 1_000);
    expect(widths).toEqual([0.475, 0.05, 0.475]);
    expect(list(asked).gaps).toEqual([]);
  });

  test('in a range, bars are shares of it, and what is outside is known to be before or after', () => {
    const some = [visit('a', 0, 100), visit('b', 200, 400), visit('c', 900, 100)];
    const rows = listVisits(list(some, { range: { from: 200, to: 800 } }));
    expect(rows.map(({ outside }) => outside)).toEqual(['before', undefined, 'after']);
    expect(rows[1]).toMatchObject({ from: 0 });
    // From 600 to 800 nothing happens, which is more than a tenth of what is shown.
    expect(rows[1]?.width).toBeCloseTo(0.95);
  });

  test('a wait that is longer than a tenth of the range collapses in it, to its length within', () => {
    const some = [visit('a', 0, 10_000), visit('b', 10_500, 10_000)];
    expect(list(some).gaps).toEqual([]);
    const { gaps } = list(some, { range: { from: 9_000, to: 11_000 } });
    expect(gaps.map(({ ms }) => ms)).toEqual([500]);
  });

  test('a row has the waits and failed attempts of its own visit only, as shares of what is shown', () => {
    const visits = [visit('ask', 0, 400), visit('call', 400, 200), { ...visit('ask', 600, 400), visit: 2 }];
    const wait = { scope: '', node_id: 'ask' };
    const waits = [
      { ...wait, from: zero + 100, to: zero + 300 },
      { ...wait, from: zero + 700, to: zero + 5_000 },
    ];
    const retries = [450, 500, 550].map((ms) => ({ scope: '', node_id: 'call', at: zero + ms }));
    const busy = [visit('other', 0, 1_000)];
    const [first, call, second] = listVisits(list([...visits, ...busy], { waits, retries }));
    expect(first).toMatchObject({ waitedMs: 200, waits: [{ from: 0.1 }], retryCount: 0 });
    expect(first?.waits[0]?.width).toBeCloseTo(0.2);
    expect(call).toMatchObject({ waits: [], waitedMs: 0, retries: [0.45, 0.5, 0.55], retryCount: 3 });
    // The run was ended while it waited.
    expect(second).toMatchObject({ waitedMs: 300, waits: [{ from: expect.closeTo(0.7) }] });
    const range = { from: 500, to: 1_000 };
    const [, part] = listVisits(list([...visits, ...busy], { waits, retries, range }));
    expect(part).toMatchObject({ retryCount: 3, retries: [0, expect.closeTo(0.1)] });
  });

  test('an attempt that failed is a retry where another one followed', () => {
    const entry = (event: LogEntry['event'], seq: number): LogEntry => ({
      seq,
      time: new Date(zero + seq).toISOString(),
      level: 'warn',
      node_id: 'call',
      scope: 'each.1.0',
      event,
      message: event,
      status: 'running',
    });
    const logs = [entry('started', 0), entry('retry', 5), entry('retry', 9), entry('failed', 12)];
    expect(findRetries(logs).map(({ at }) => at - zero)).toEqual([5, 9]);
  });

  test('a wait lasts from the pause of a node to its next entry', () => {
    const entry = (event: LogEntry['event'], ms: number): LogEntry => ({
      seq: ms,
      time: new Date(zero + ms).toISOString(),
      level: 'info',
      node_id: 'approve',
      event,
      message: event,
      status: 'running',
    });
    const wait = { scope: '', node_id: 'approve', from: zero + 5 };
    const paused = [entry('started', 0), entry('paused', 5)];
    expect(findWaits(paused, zero + 9)).toEqual([{ ...wait, to: zero + 9, isOpen: true }]);
    expect(findWaits([...paused, entry('resumed', 7)], zero + 9)).toEqual([{ ...wait, to: zero + 7 }]);
  });

  test('a node is waiting as long as its pause is open', () => {
    const asks = { node_id: 'ask', scope: '', from: zero };
    const isWaiting = (wait: Wait) =>
      listVisits(list([visit('ask', 0)], { waits: [wait] })).map((row) => row.isWaiting);
    expect(isWaiting({ ...asks, to: zero + 1_000, isOpen: true })).toEqual([true]);
    expect(isWaiting({ ...asks, to: zero + 500 })).toEqual([false]);
  });
});

describe('the picture of a run', () => {
  const end = { type: 'end', output: {} };
  const one = { type: 'transform', output: 1 };
  const graph = buildGraph({
    start: 'each',
    nodes: {
      each: { type: 'map', items: [1], body: { start: 'price', nodes: { price: one } }, next: 'ask' },
      ask: { type: 'ask', prompt: '?', next: 'done' },
      done: end,
    },
  });
  const visits = [
    visit('each', 0, 900),
    { ...visit('price', 0, 400, 'each.1.0'), status: 'failed' as const },
    visit('price', 400, 500, 'each.1.1'),
    visit('ask', 900),
  ];

  test('counts the visits of a node, and says what it waits for', () => {
    const { nodes } = markRun(graph, visits, [], 'input_required');
    expect([...nodes].map(([id, { label, text }]) => [id, label, text])).toEqual([
      ['each', 'Completed, 900 ms', '900 ms'],
      ['price', 'Failed, 1 of 2 failed, 2 times, 900 ms', '1 of 2 failed · 900 ms'],
      ['ask', 'Needs an answer', 'Needs an answer'],
    ]);
  });

  test('a node leads to its failed visit, and the visit of a called flow to the node that calls it', () => {
    expect(findTellingVisit(graph, visits, 'price')).toBe('each.1.0/price/1');
    expect(findTellingVisit(graph, visits, 'done')).toBeUndefined();
    expect(findVisited(graph, visit('step', 0, 1, 'ask.1.call'))).toBe('ask');
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
