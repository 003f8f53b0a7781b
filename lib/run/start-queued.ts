// Starts a run that the worker carries out: the header first, then its message.
import { endRun } from './end.ts';
import { loadFlow } from './load-flow.ts';
import { enqueue, runMessageOf } from './queue.ts';
import { newRun, queuedLimitMs, type Start } from './start.ts';
import { insertRun, readRun } from './store.ts';
import type { StoredRun } from './stored.ts';

export interface QueuedStart extends Omit<Start, 'mode' | 'lease' | 'limitMs' | 'now' | 'input'> {
  /** The flow's input as JSON. */
  readonly keepInput: string;
}

/** A run of this id that is there already is the answer. */
export async function startQueued(start: QueuedStart): Promise<StoredRun> {
  await loadFlow(start.row);
  const run = newRun({
    ...start,
    mode: 'queued',
    input: start.keepInput,
    now: Date.now(),
    limitMs: queuedLimitMs(),
  });
  const existing = (await insertRun(run)) ? undefined : await readRun(run.run_id);
  if (existing) return existing;
  try {
    await enqueue(runMessageOf(run));
    return run;
  } catch (error) {
    await endRun(run, { status: 'failed', error: 'The run could not be queued.' });
    throw error;
  }
}
