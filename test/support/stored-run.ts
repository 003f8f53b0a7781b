// A stored run for tests: a whole one, of which a test gives what matters.
import type { StoredRun } from '#lib/run/stored.ts';

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
