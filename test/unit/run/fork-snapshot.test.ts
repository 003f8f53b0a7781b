import { expect, test } from 'vitest';
import type { JsonObject } from '#lib/json/json.ts';
import type { ForkPlace } from '#lib/run/fork-place.ts';
import { toFirstSnapshot } from '#lib/run/fork-snapshot.ts';
import type { KeptExecution } from '#lib/run/kept-execution.ts';
import type { NodeVisit } from '#lib/run/visited-path.ts';

const ended_at = '2027-01-31T09:00:00Z';

const record = (node_id: string, some: Partial<KeptExecution>): KeptExecution => ({
  execution: `${node_id}.1`,
  node_id,
  node_type: 'transform',
  visit: 1,
  status: 'completed',
  ended_at,
  ...some,
});

const visited = (node_id: string): NodeVisit => ({
  node_id,
  visit: 1,
  status: 'completed',
  started_at: ended_at,
});

function forkAfter(
  records: readonly KeptExecution[],
  given: { outputs?: JsonObject; state?: JsonObject } = {},
) {
  const before = [visited('first'), visited('second')];
  const place: ForkPlace = { execution: 'third.1', node_id: 'third', before, isReused: false };
  return toFirstSnapshot({
    run: 'run',
    place,
    begin: { nodes: {}, state: { n: 0 } },
    records: new Map(records.map((each) => [each.execution, each])),
    outputs: {},
    state: {},
    ...given,
  });
}

const second = record('second', { output: 2, assigned: { n: 1 } });

test('an execution whose record was lost, was paused or failed is named', () => {
  expect(forkAfter([second])).toEqual({ lacking: 'first.1' });
  expect(forkAfter([record('first', { status: 'paused' }), second])).toEqual({ lacking: 'first.1' });
});

test('an output that was too large to be kept is named, unless the request has it', () => {
  const large = record('first', { left_out: ['output'] });
  expect(forkAfter([large, second])).toEqual({ lacking: 'first.1' });
  expect(forkAfter([large, second], { outputs: { first: 'short' } })).toMatchObject({
    nodes: { first: 'short', second: 2 },
    state: { n: 1 },
  });
});

test('variables that were too large to be kept are named, as nobody knows which they were', () => {
  const large = record('first', { output: 1, left_out: ['assigned'] });
  expect(forkAfter([large, second], { state: { n: 1 } })).toEqual({ lacking: 'first.1' });
});

test('a variable without what looked like a secret is given by the request, or was set again later', () => {
  const first = record('first', { output: 1, assigned: { n: 'key [redacted]' } });
  expect(forkAfter([first, second])).toMatchObject({ state: { n: 1 } });
  const steady = record('second', { output: 2 });
  expect(forkAfter([first, steady])).toEqual({ problem: expect.stringContaining('`state.n`') });
  expect(forkAfter([first, steady], { state: { n: 5 } })).toMatchObject({ state: { n: 5 } });
});
