import { afterEach, beforeEach, expect, test } from 'vitest';
import { newRun } from '#lib/run/start.ts';
import { queuedLimitMs } from '#lib/run/stored-run.ts';
import { sampleAgents } from '#test/support/sample-agents.ts';

const names = ['RUN_RETENTION_DAYS', 'BACKGROUND_LIMIT_SECONDS'] as const;
beforeEach(() => {
  process.env.RUN_RETENTION_DAYS = '7';
  process.env.BACKGROUND_LIMIT_SECONDS = '2700';
});
afterEach(() => {
  for (const name of names) delete process.env[name];
});

test('a run has its build, environment and trigger, and expires the retention days after its deadline', () => {
  const [row] = sampleAgents;
  if (!row) throw new Error('There are samples.');
  const run = newRun({
    row,
    caller: { id: 'key', orgid: 'org' },
    trigger: 'background',
    triggerId: 'nightly',
    mode: 'queued',
    environment: 'test',
    now: 1_000_000,
    limitMs: queuedLimitMs(),
  });
  expect(run).toMatchObject({
    a2aregistryid: row.a2aregistryid,
    build_no: row.build_no,
    environment: 'test',
    trigger: 'background',
    trigger_id: 'nightly',
    status: 'submitted',
    lease_until: 0,
    deadline: 1_000_000 + 45 * 60_000,
    ttl: 1_000 + 12 * 3_600 + 45 * 60 + 7 * 86_400,
  });
});
