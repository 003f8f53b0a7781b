// The tasks of one agent that belong to a client: runs that it has started, read from the runs table. Nothing of a task lives only in this
// process; the SDK's request handler, which keeps tasks in memory, would not do for two Lambda instances.
import type { Task } from '@a2a-js/sdk';
import type { Caller } from '#lib/access/caller.ts';
import type { Log } from '#lib/log.ts';
import type { StoredRow } from '#lib/registry/stored-row.ts';
import { withAnswers, withInput } from '#lib/run/encrypted-run.ts';
import { endIfAbandoned } from '#lib/run/end.ts';
import { readEvents, readRun } from '#lib/run/run-items.ts';
import { type RunView, viewRun } from '#lib/run/state.ts';
import type { StoredRun } from '#lib/run/stored-run.ts';
import { A2ARefusal } from './errors.ts';
import { incomingOf } from './message-input.ts';
import { taskOf } from './task.ts';

/** One request of a client to an agent. */
export interface Conversation {
  readonly row: StoredRow;
  readonly caller: Caller;
  readonly log: Log;
  /** What is left of the function's time, in ms. */
  readonly remainingMs: () => number;
  /** Aborted when nobody listens any more. */
  readonly signal: AbortSignal;
}

/** A task belongs to the agent and to the key that started it; to all others it does not exist. */
export async function ownTask({ row, caller }: Conversation, id: string): Promise<RunView> {
  const run = await readRun(id);
  const isOfAgent =
    run?.flowid === row.flowid && run.workspaceid === row.workspaceid && run.orgid === row.orgid;
  if (!run || !isOfAgent || run.caller_id !== caller.id || run.caller_orgid !== caller.orgid)
    throw new A2ARefusal('TASK_NOT_FOUND');
  return await viewTask(await endIfAbandoned(run, Date.now()));
}

/** As it is now, for who is known to own it. */
export async function currentTask(id: string): Promise<RunView> {
  const run = await readRun(id);
  if (!run) throw new A2ARefusal('TASK_NOT_FOUND');
  return await viewTask(run);
}

/** With the message that started it, and the answers that it was given, in plain. */
async function viewTask(run: StoredRun): Promise<RunView> {
  const [known, events] = await Promise.all([withInput(run), readEvents(run.run_id)]);
  return viewRun(known, await withAnswers(run, events));
}

/** With the message that started it in its history. */
export const shownTask = (view: RunView, historyLength?: number): Task =>
  taskOf(view, incomingOf(view.run), historyLength);
