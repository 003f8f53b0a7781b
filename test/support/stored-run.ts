// A stored run for tests: a whole one, of which a test gives what matters.
import { newRunId } from '#lib/ids.ts';
import { insertRun } from '#lib/run/run-items.ts';
import type { StoredRun } from '#lib/run/stored-run.ts';
import type { TestCaller } from './caller.ts';

export const run = (some: Partial<StoredRun> = {}): StoredRun => ({
  run_id: '0193a5c0-7c1e-7e3b-9b5e-2f6d8c4a1b3e',
  status: 'working',
  generation: 1,
  lease: 'lease-1',
  lease_until: 1_000,
  mode: 'inline',
  trigger: 'a2a',
  environment: 'live',
  orgid: 'org',
  workspaceid: 'ws',
  flowid: 'flow',
  a2aregistryid: 'reg_01JD2Q3V5W7X9Y1Z3A5B7C9D1E',
  payload_id: '01JD2Q3V5W7X9Y1Z3A5B7C9D1E',
  caller_id: 'key',
  caller_orgid: 'org',
  context_id: 'context',
  deadline: 2_000,
  created_at: '2026-11-21T09:00:00.000Z',
  updated_at: '2026-11-21T09:00:01.000Z',
  ttl: 1,
  ...some,
});

/** Runs of a workspace, a second apart, oldest first. */
export async function storedRuns(
  caller: TestCaller,
  count: number,
  some: Partial<StoredRun> = {},
): Promise<StoredRun[]> {
  const runs = Array.from({ length: count }, (_, n) =>
    run({
      run_id: newRunId(),
      status: 'completed',
      orgid: caller.orgid,
      workspaceid: caller.workspaceid,
      created_at: new Date(Date.UTC(2026, 10, 21, 9, 0, n)).toISOString(),
      ttl: Math.floor(Date.now() / 1_000) + 3_600,
      ...some,
    }),
  );
  for (const each of runs) await insertRun(each);
  return runs;
}
