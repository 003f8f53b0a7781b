// The tasks of one agent that belong to a client: runs that it has started, read from the runs table. No part
// of a task lives only in this process. The SDK's request handler keeps tasks in memory, which does not work
// with two Lambda instances.
import { Task } from '@a2a-js/sdk';
import type { Caller } from '#lib/access/caller.ts';
import type { RunSettings } from '#lib/environment/environment-items.ts';
import type { Log } from '#lib/log.ts';
import type { Status, StoredRow } from '#lib/registry/row/stored-row.ts';
import { withConfigurationLinks } from '#lib/run/configuration-link.ts';
import { endIfAbandoned, endRun } from '#lib/run/end.ts';
import { type RunWithEvents, readRunWithEvents } from '#lib/run/read-run.ts';
import { withAnswers, withInput } from '#lib/run/run-encryption.ts';
import { readRun, readRunEvents } from '#lib/run/run-items.ts';
import { type RunView, viewRun } from '#lib/run/state.ts';
import { isFinal, type StoredRun } from '#lib/run/stored-run.ts';
import { wakeForTasks } from '#lib/run/wake-for-tasks.ts';
import type { TraceContext } from '#lib/trace-context.ts';
import { A2ARefusal } from './errors.ts';
import type { RequestExtensions } from './extensions.ts';
import { withFileLinks } from './file-links.ts';
import { readIncomingMessage } from './message-input.ts';
import { type TaskOptions, toTask } from './task.ts';

/** One request of a client to an agent. */
export interface CallContext {
  readonly row: StoredRow;
  /** Which URL of the build was called. */
  readonly status: Status;
  /** Those of its environment, where they were read with it. */
  readonly settings?: RunSettings | undefined;
  readonly caller: Caller;
  /** The version of A2A that the client speaks, if it is an earlier one. */
  readonly version?: '0.3';
  readonly extensions: RequestExtensions;
  /** The trace that a new task joins. */
  readonly trace?: TraceContext | undefined;
  readonly log: Log;
  /** What is left of the function's time, in ms. */
  readonly remainingMs: () => number;
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal;
}

/** A task belongs to the agent and to the key that started it; for all others it does not exist. */
export const findOwnTask = async (context: CallContext, id: string): Promise<RunView> =>
  await readTask(context, id, (run) => isOwnRun(context, run));

/** The header of the run that is the task. */
export async function findOwnRun(context: CallContext, id: string): Promise<StoredRun> {
  const run = await readRun(id);
  if (!run || !isOwnRun(context, run)) throw new A2ARefusal('TASK_NOT_FOUND');
  return await endIfAbandoned(run, Date.now());
}

/** Whether the caller has started the run, with this agent. */
export function isOwnRun({ row, caller }: CallContext, run: StoredRun): boolean {
  const isOfAgent =
    run.flowid === row.flowid && run.workspaceid === row.workspaceid && run.orgid === row.orgid;
  return isOfAgent && run.caller_id === caller.id && run.caller_orgid === caller.orgid;
}

/** Reads a task again that is known to belong to the client. */
export async function readTask(
  { caller }: CallContext,
  id: string,
  isWanted: (run: StoredRun) => boolean = () => true,
): Promise<RunView> {
  const found = await readRunWithEvents(id, isWanted);
  if (found) return await viewTask(found, caller);
  throw new A2ARefusal('TASK_NOT_FOUND');
}

/** With its input and the answers it received, decrypted, and with the link to the page for what it needs. */
async function viewTask(found: RunWithEvents, caller: Caller): Promise<RunView> {
  const view = await decryptTask(found);
  const events = await withConfigurationLinks(found.run, view.events, caller, Date.now());
  return viewRun(view.run, events);
}

/** For who is not the client itself: whoever has a link may store values as the client. */
export const viewTaskWithoutLinks = async (run: StoredRun): Promise<RunView> =>
  await decryptTask({ run, events: await readRunEvents(run) });

async function decryptTask({ run, events }: RunWithEvents): Promise<RunView> {
  const [known, plain] = await Promise.all([withInput(run), withAnswers(run, events)]);
  return viewRun(known, await withFileLinks(run, plain));
}

/** The task in the form of the SDK, with the message that started it, by default that of its run, in its history. */
export const describeTask = (
  view: RunView,
  options?: TaskOptions,
  incoming = readIncomingMessage(view.run),
): Task => toTask(view, incoming, options);

/** `GetTask`. */
export async function getTask(context: CallContext, id: string, historyLength?: number): Promise<unknown> {
  return Task.toJSON(describeTask(await findOwnTask(context, id), { historyLength }));
}

/** `CancelTask`. A task that is already canceled is returned; one that ended otherwise cannot be canceled. */
export async function cancelTask(context: CallContext, id: string): Promise<unknown> {
  const before = await findOwnTask(context, id);
  const status = isFinal(before.status)
    ? before.status
    : await endRun(before.run, { status: 'canceled' }, before.events);
  if (status !== 'canceled') throw new A2ARefusal('TASK_NOT_CANCELABLE');
  const canceled = await readTask(context, id);
  await wakeForTasks(canceled.run, Date.now(), context.log);
  return Task.toJSON(describeTask(canceled));
}
