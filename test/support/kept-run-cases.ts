// Requests about what was kept of a run, and that start others with it.
import * as z from 'zod';
import { triggerParams } from './automation-costs.ts';
import { newRow } from './builders.ts';
import { type Case, invoke } from './call-cost.ts';
import type { TestCaller } from './caller.ts';

/** A run of the newest test build, whose values are kept. */
const keptRun = async (caller: TestCaller) => {
  const { flowid } = await newRow(caller);
  const params = { ...triggerParams(caller, flowid), environment: 'test' };
  const started = await invoke('triggerFlow', caller, { params, body: { message: 'hello' } });
  return z.object({ workflow_id: z.string() }).parse(started).workflow_id;
};

export const keptRunCases = {
  'runs: read an execution': {
    operation: 'getRunExecution',
    prepare: async (caller) => ({
      params: { workflow_id: await keptRun(caller), execution: 'done.1' },
    }),
  },
  'runs: list the replays of a run': {
    operation: 'listRuns',
    prepare: async (caller) => {
      const workflow_id = await keptRun(caller);
      await invoke('replayRun', caller, { params: { workflow_id }, body: {} });
      return { query: { workspaceid: caller.workspaceid, replay_of: workflow_id } };
    },
  },
  'runs: save as a test': {
    operation: 'getRunTest',
    prepare: async (caller) => ({ params: { workflow_id: await keptRun(caller) } }),
  },
  'runs: run again': {
    operation: 'replayRun',
    prepare: async (caller) => ({ params: { workflow_id: await keptRun(caller) }, body: {} }),
  },
  'runs: fork at the first node': {
    operation: 'forkRun',
    prepare: async (caller) => ({
      params: { workflow_id: await keptRun(caller) },
      body: { from: 'done' },
    }),
  },
} as const satisfies Record<string, Case>;
