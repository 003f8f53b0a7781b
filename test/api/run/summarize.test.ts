import { describe, expect, test } from 'vitest';
import { countedMax } from '#lib/run/summarize.ts';
import { newCaller, type TestCaller, unique } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { storedRuns } from '#test/support/stored-run.ts';

type Query = Readonly<Record<string, string | readonly string[]>>;
const count = (caller: Pick<TestCaller, 'key' | 'workspaceid'>, query: Query = {}) =>
  call('summarizeRuns', { key: caller.key, query: { workspaceid: caller.workspaceid, ...query } });

/** Five runs of a flow, of which one was abandoned, and two of another that failed. */
async function workspaceWithRuns() {
  const caller = await newCaller();
  const runs = await storedRuns(caller, 4, { flowid: 'orders' });
  await storedRuns(caller, 1, { flowid: 'orders', status: 'working', deadline: 1 });
  await storedRuns(caller, 2, { flowid: 'refunds', status: 'failed' });
  return { caller, runs };
}

describe('200', () => {
  test('runs are counted by status and flow, by one of them, and abandoned ones as failed', async () => {
    const { caller } = await workspaceWithRuns();
    const both = [
      { status: 'completed', flowid: 'orders', runs: 4 },
      { status: 'failed', flowid: 'refunds', runs: 2 },
      { status: 'failed', flowid: 'orders', runs: 1 },
    ];
    expect((await count(caller)).body).toEqual({ runs: 7, counts: both, complete: true });
    expect((await count(caller, { by: ['status', 'flowid'] })).body.counts).toEqual(both);
    expect((await count(caller, { by: 'status' })).body.counts).toEqual([
      { status: 'completed', runs: 4 },
      { status: 'failed', runs: 3 },
    ]);
    expect((await count(caller, { by: 'flowid' })).body.counts).toEqual([
      { flowid: 'orders', runs: 5 },
      { flowid: 'refunds', runs: 2 },
    ]);
  });

  test('from and to limit the start of the runs, both inclusive', async () => {
    const caller = await newCaller();
    const runs = await storedRuns(caller, 5);
    const at = (n: number) => runs[n]?.created_at ?? '';
    expect((await count(caller, { from: at(1), to: at(3) })).body.runs).toBe(3);
    expect((await count(caller, { from: at(3), to: at(1) })).body).toEqual({
      runs: 0,
      counts: [],
      complete: true,
    });
  });

  test('of more runs than the bound, only the newest are counted, and since when is said', async () => {
    const caller = await newCaller();
    const [older] = await storedRuns(caller, 1, { created_at: '2026-11-20T09:00:00.000Z', status: 'failed' });
    const from = '2026-11-21T09:00:00.000Z';
    await Promise.all(
      Array.from({ length: countedMax }, async () => await storedRuns(caller, 1, { created_at: from })),
    );
    const counts = [{ status: 'completed', runs: countedMax }];
    const counted = { runs: countedMax, counts, complete: false, since: from };
    expect((await count(caller, { by: 'status' })).body).toEqual(counted);
    expect((await count(caller, { to: older?.created_at ?? '' })).body.runs).toBe(1);
    expect((await count(caller, { by: 'status', from })).body).toMatchObject({ counts, complete: true });
  });

  test('runs of another organisation with a workspace of the same id are not counted', async () => {
    const { caller } = await workspaceWithRuns();
    const other = await newCaller({ workspaces: [caller.workspaceid] });
    expect((await count({ ...caller, key: other.key })).body.runs).toBe(0);
  });
});

describe('400', () => {
  test.each([
    ['by', 'environment'],
    ['from', 'yesterday'],
    ['limit', '5'],
  ])('%s=%s is reported', async (name, value) => {
    const { problem } = await count(await newCaller(), { [name]: value });
    expect(problem.errors?.map(({ pointer }) => pointer)).toEqual([`/query/${name}`]);
  });
});

describe('403', () => {
  test('a key for other workspaces, and one without the permission to read', async () => {
    const caller = await newCaller();
    const elsewhere = await newCaller({ orgid: caller.orgid, workspaces: [unique('ws')] });
    expect((await count({ ...caller, key: elsewhere.key })).problem.code).toBe('permission_denied');
    const runner = await newCaller({ orgid: caller.orgid, scopes: ['assistants.flows:run'] });
    expect((await count({ ...caller, key: runner.key })).problem.detail).toContain('assistants.flows:read');
  });
});
