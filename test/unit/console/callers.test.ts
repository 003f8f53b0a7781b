import { expect, test } from 'vitest';
import { groupByCaller } from '#lib/console/runs/callers.ts';
import type { RunSummary } from '#lib/run/detail.ts';

let started = 100;
/** Each call is older than the one before. */
const run = (some: Partial<RunSummary> = {}): RunSummary => {
  started -= 1;
  return {
    workflow_id: `run-${started}`,
    status: 'completed',
    trigger: 'api',
    environment: 'live',
    flowid: 'orders',
    a2aregistryid: 'reg_01JD2Q3V5W7X9Y1Z3A5B7C9D1E',
    build_no: 1,
    created_at: new Date(Date.UTC(2026, 10, 28, 9, 0, started)).toISOString(),
    ...some,
  };
};
const by = (created_by: string, some: Partial<RunSummary> = {}) =>
  run({ created_by, caller_organization: 'own', ...some });

test('callers are distinct, by their last call, with the number of calls and the builds in order', () => {
  const runs = [by('a', { build_no: 10 }), by('b'), by('a', { build_no: 9 }), by('a', { build_no: 10 })];
  expect(groupByCaller(runs)).toEqual([
    { created_by: 'a', caller_organization: 'own', calls: 3, last: runs[0], builds: [9, 10] },
    { created_by: 'b', caller_organization: 'own', calls: 1, last: runs[1], builds: [1] },
  ]);
});

test('callers of other organisations are one, apart from those that the list does not know', () => {
  const { build_no: _, ...withoutBuild } = run();
  const runs = [run({ caller_organization: 'other' }), withoutBuild, run({ caller_organization: 'other' })];
  expect(groupByCaller(runs)).toEqual([
    { caller_organization: 'other', calls: 2, last: runs[0], builds: [1] },
    { calls: 1, last: runs[1], builds: [] },
  ]);
});

test('no runs have no callers', () => {
  expect(groupByCaller([])).toEqual([]);
});
