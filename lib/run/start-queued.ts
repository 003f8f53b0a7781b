// Starts a run that the worker carries out: the header first, then its message.

import { withInput } from './encrypted-run.ts';
import { endRun } from './end.ts';
import { notifyWhenOver } from './enqueue-callback.ts';
import { queueWaitMs } from './keep-until.ts';
import { loadFlow } from './load-flow.ts';
import { insertRun, readRun } from './run-items.ts';
import { enqueue, runMessageOf } from './run-queue.ts';
import { newRun, type Start } from './start.ts';
import type { StoredRun } from './stored-run.ts';

export interface QueuedStart extends Omit<Start, 'mode' | 'lease' | 'limitMs' | 'now' | 'input'> {
  /** The flow's input as JSON. */
  readonly keepInput: string;
}

/** A run of this id that is there already is the answer. It has its message sent as well: its first one may have got lost with its sender. */
export async function startQueued(start: QueuedStart): Promise<StoredRun> {
  await loadFlow(start.row);
  const wanted = newRun({
    ...start,
    mode: 'queued',
    input: start.keepInput,
    now: Date.now(),
    limitMs: queueWaitMs,
  });
  await notifyWhenOver(wanted);
  const run = (await insertRun(wanted)) ? wanted : await storedOr(wanted);
  if (run.status !== 'submitted' || run.fingerprint !== wanted.fingerprint) return run;
  try {
    await enqueue(runMessageOf(run));
    return run;
  } catch (error) {
    // With an Idempotency-Key the same request may come again, and send the message then.
    if (run.fingerprint === undefined)
      await endRun(run, { status: 'failed', error: 'The run could not be queued.' });
    throw error;
  }
}

/** For an A2A client that sees its message in the task, also where the first answer to this very write got lost. */
async function storedOr(wanted: StoredRun): Promise<StoredRun> {
  const stored = await readRun(wanted.run_id);
  return stored ? await withInput(stored) : wanted;
}
