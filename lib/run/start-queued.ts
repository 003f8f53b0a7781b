// Starts a run that the worker carries out: the header first, then its message.
import { notifyWhenOver } from './completion/notify.ts';
import { endRun } from './end.ts';
import { loadFlow } from './load-flow.ts';
import { enqueue } from './queue.ts';
import { newRun, queuedLimitMs, type Start } from './start.ts';
import { insertRun } from './store.ts';
import type { StoredRun } from './stored.ts';

export interface QueuedStart extends Omit<Start, 'mode' | 'lease' | 'limitMs' | 'now' | 'input'> {
  /** The flow's input as JSON. */
  readonly keepInput: string;
}

export async function startQueued(start: QueuedStart): Promise<StoredRun> {
  await loadFlow(start.row);
  const run = newRun({
    ...start,
    mode: 'queued',
    input: start.keepInput,
    now: Date.now(),
    limitMs: queuedLimitMs,
  });
  await notifyWhenOver(run);
  await insertRun(run);
  try {
    await enqueue({ kind: 'run', triggerId: run.run_id, orgid: run.orgid, workspaceid: run.workspaceid });
    return run;
  } catch (error) {
    await endRun(run, { status: 'failed', error: 'The run could not be queued.' });
    throw error;
  }
}
