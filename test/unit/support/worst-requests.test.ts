// docs/security.md says for every route what its worst request costs, and the program that measures it finds
// what costs too much.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { routeList } from '#lib/routes/routes.ts';
import { isA2a } from '#test/worst-requests/cases.ts';
import { findFaults, type Measured, pageWith, rowsIn, toRows } from '#test/worst-requests/page.ts';
import { newSlowness } from '#test/worst-requests/slowness.ts';

const page = readFileSync(new URL('../../../docs/security.md', import.meta.url), 'utf8');
const methods = ['SendMessage', 'SendStreamingMessage', 'GetTask', 'SubscribeToTask', 'CancelTask'];

const measured = (some: Partial<Measured['cost']> = {}, reads = false): Measured => ({
  route: 'createThing',
  kind: 'nesting',
  reads,
  sent: { method: 'POST', target: '/', headers: {} },
  cost: { status: 400, cpuMs: 10, sentBytes: 1_000, answerBytes: 100, answer: '{}', ...some },
});

describe('the page', () => {
  const documented = new Map(rowsIn(page).map(({ route, cpuBound }) => [route, cpuBound]));

  test.each(routeList.map(([id]) => id))('%s has a row, of 2 s of CPU at most', (id) => {
    expect(documented.get(id)).toBeLessThanOrEqual(2_000);
  });

  test.each(
    routeList
      .filter(([, route]) => isA2a(route))
      .flatMap(([id]) => methods.map((method) => `${id} ${method}`)),
  )('%s has a row, of 2 s of CPU at most', (id) => {
    expect(documented.get(id)).toBeLessThanOrEqual(2_000);
  });

  test.each(['(any)', 'protocol', 'discover_agents', 'list_agents', 'call_agent', 'tasks'])(
    'callConnector %s has a row, of 2 s of CPU at most',
    (part) => {
      expect(documented.get(`callConnector ${part}`)).toBeLessThanOrEqual(2_000);
    },
  );
});

describe('the check finds', () => {
  const written = pageWith(page, toRows([measured()]));

  test('nothing if the measurements match the page', () => {
    expect(findFaults([measured()], written)).toEqual([]);
  });

  test.each<[string, Measured]>([
    ['more than 2 s of CPU', measured({ cpuMs: 2_001 })],
    ['a failure', measured({ status: 503 })],
    ['a refusal of more than three times the request', measured({ sentBytes: 10_000, answerBytes: 30_001 })],
    ['an answer of more than Lambda may hold', measured({ status: 200, answerBytes: 6_300_000 }, true)],
    ['twice of what the page says', measured({ cpuMs: 101 })],
    ['a route without a row', { ...measured(), route: 'otherThing' }],
  ])('%s', (_what, costly) => {
    expect(findFaults([costly], written)).not.toEqual([]);
  });
});

describe('how slow the machine is', () => {
  const slownessAt = (times: number[], took: readonly number[]) => {
    const left = [...took];
    return newSlowness(
      () => left.shift() ?? Number.NaN,
      () => times.shift() ?? Number.NaN,
    );
  };

  test('is the quickest of five computations, compared with that of the page', () => {
    expect(slownessAt([0, 0], [40, 20, 30, 25, 90])()).toBe(2);
  });

  test('is measured again after two seconds', () => {
    const slowness = slownessAt([0, 0, 1_999, 2_000, 2_000], [...Array(5).fill(20), ...Array(5).fill(5)]);
    expect([slowness(), slowness(), slowness()]).toEqual([2, 2, 0.5]);
  });
});
