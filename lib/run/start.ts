// A new run of a build: its header, and how a run that the worker executes is stored and queued.
import type { Caller } from '#lib/access/caller.ts';
import type { RunSettings } from '#lib/environment/environment-items.ts';
import { newRunId } from '#lib/ids.ts';
import type { StoredRow } from '#lib/registry/row/stored-row.ts';
import type { TraceContext } from '#lib/trace-context.ts';
import { enqueueCallbackCheck } from './callback-queue.ts';
import { endRun } from './end.ts';
import { notQueued } from './failure.ts';
import { loadFlow } from './load-flow.ts';
import { withInput } from './run-encryption.ts';
import { insertRun, readRun } from './run-items.ts';
import { keepUntil, queueWaitMs, type StoredRun, startStatus } from './stored-run.ts';

export interface RunStart {
  /** A new id when absent. */
  readonly runId?: string;
  readonly row: StoredRow;
  readonly caller: Pick<Caller, 'id' | 'orgid'>;
  readonly trigger: StoredRun['trigger'];
  readonly mode: StoredRun['mode'];
  readonly environment: StoredRun['environment'];
  /** Id of the trigger, where one was named. */
  readonly triggerId?: string;
  readonly contextId?: string;
  /** Which message of the context starts it; the first by default. */
  readonly turn?: number;
  readonly input?: string;
  /** Called once the run is over. `enqueueCallbackCheck` comes before the run is stored. */
  readonly callbackUrl?: string;
  /** The push notification configurations that are stored already. */
  readonly pushConfigs?: number | undefined;
  readonly fingerprint?: string;
  /** Those of its environment, where they are known. */
  readonly settings?: RunSettings | undefined;
  /** The trace that it joins. */
  readonly trace?: TraceContext | undefined;
  /** The run that it runs again. */
  readonly replayOf?: string;
  readonly fork?: StoredRun['fork'];
  /** RFC 3339, where the event was accepted before now. */
  readonly acceptedAt?: string;
  /** Ms since 1970. */
  readonly now: number;
  readonly limitMs: number;
  /** Held from the start by a run that the process executes which starts it. */
  readonly lease?: { readonly holder: string; readonly ms: number };
}

export interface QueuedStart extends Omit<RunStart, 'mode' | 'lease' | 'limitMs' | 'now' | 'input'> {
  /** The flow's input as JSON. */
  readonly keepInput: string;
}

/**
 * Stores the header first, then sends the message. If a run of this id exists already, it is the answer, and
 * its message is sent again: the first one may have been lost with its sender.
 */
export async function startQueued(start: QueuedStart): Promise<StoredRun> {
  await loadFlow(start.row);
  const { run: wanted, isNew } = await storeQueued({ ...start, input: start.keepInput });
  const run = isNew ? wanted : await readExisting(wanted);
  if (run.status !== 'submitted' || run.fingerprint !== wanted.fingerprint) return run;
  try {
    await queue(run);
    return run;
  } catch (error) {
    // With an Idempotency-Key the same request may come again, and send the message then.
    if (run.fingerprint === undefined) await endRun(run, notQueued);
    throw error;
  }
}

/** Stores the header of a run that a worker executes. The run is not new if one of this id exists already. */
export async function storeQueued(
  start: Omit<RunStart, 'mode' | 'lease' | 'limitMs' | 'now'>,
): Promise<{ readonly run: StoredRun; readonly isNew: boolean }> {
  const run = newRun({ ...start, mode: 'queued', now: Date.now(), limitMs: queueWaitMs });
  await enqueueCallbackCheck(run);
  return { run, isNew: await insertRun(run) };
}

/**
 * With its input in plain: an A2A client sees its message in the task, also where the answer to this very
 * write was lost.
 */
async function readExisting(wanted: StoredRun): Promise<StoredRun> {
  const stored = await readRun(wanted.run_id);
  return stored ? await withInput(stored) : wanted;
}

/** Loaded when it is used: functions that mostly start inline runs need no client of SQS. */
async function queue(run: StoredRun): Promise<void> {
  const { enqueueRun } = await import('./run-queue.ts');
  await enqueueRun(run);
}

export function newRun(start: RunStart): StoredRun {
  const run_id = start.runId ?? newRunId();
  const at = new Date(start.now).toISOString();
  return {
    run_id,
    status: startStatus(start),
    generation: 0,
    lease: start.lease?.holder,
    lease_until: start.lease === undefined ? 0 : start.now + start.lease.ms,
    mode: start.mode,
    trigger: start.trigger,
    trigger_id: start.triggerId,
    environment: start.environment,
    orgid: start.row.orgid,
    workspaceid: start.row.workspaceid,
    flowid: start.row.flowid,
    a2aregistryid: start.row.a2aregistryid,
    build_no: start.row.build_no,
    payload_id: start.row.payload_id,
    caller_id: start.caller.id,
    caller_orgid: start.caller.orgid,
    context_id: start.contextId ?? newRunId(),
    turn: start.turn,
    input: start.input,
    callback_url: start.callbackUrl,
    push_configs: start.pushConfigs,
    fingerprint: start.fingerprint,
    ...start.trace,
    ...(start.settings?.isExported && { exported: true }),
    replay_of: start.replayOf,
    fork: start.fork,
    deadline: start.now + start.limitMs,
    accepted_at: start.acceptedAt,
    created_at: at,
    status_timestamp: at,
    updated_at: at,
    ttl: keepUntil(start.now),
  };
}
