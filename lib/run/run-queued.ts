// Runs one message of the run queue to its end, or as far as this invocation's time goes. A duplicate finds the run taken or over and
// has no effect; a runner that died leaves a lease that runs out, and the next delivery goes on from its last snapshot.
import { randomUUID } from 'node:crypto';
import { requireEnv } from '#lib/env.ts';
import { createSealer, open } from '#lib/envelope.ts';
import { ServiceError } from '#lib/errors.ts';
import type { FlowInput } from '#lib/flow/engine.ts';
import type { Snapshot } from '#lib/flow/snapshot.ts';
import type { Log } from '#lib/log.ts';
import { readRow } from '#lib/registry/store.ts';
import type { StoredRow } from '#lib/registry/stored.ts';
import { notifyWhenOver } from './completion/notify.ts';
import { endRun } from './end.ts';
import { variablesOf } from './environment/find-build.ts';
import { execute } from './execute.ts';
import { loadFlow } from './load-flow.ts';
import { enqueue, type QueueMessage, type ScheduleMessage, type WebhookMessage } from './queue.ts';
import { newRun, queuedLimitMs } from './start.ts';
import { startOfMessage } from './start-of-message.ts';
import { claimRun, insertRun, readRun, readSnapshot, releaseRun } from './store.ts';
import { isFinal, type StoredRun } from './stored.ts';

export interface Shift {
  /** What is left of this invocation, in ms. */
  readonly remainingMs: () => number;
  readonly log: Log;
}

/** `done` also when there was nothing to do; `busy` when another runner is at it; `hopeless` with the reason when no later try can help. */
export type Handled =
  | { readonly kind: 'done' }
  | { readonly kind: 'busy' }
  | { readonly kind: 'hopeless'; readonly reason: string };

const done: Handled = { kind: 'done' };
/** Left at the end of an invocation to store the snapshot and to send the continuation. */
const handOverMs = 20_000;
/** Renewed with every write. Longer than a function lives, since a node may take that long without a write: a lease that ran out is a dead runner's. */
const leaseMs = 16 * 60_000;

export async function runQueued(message: QueueMessage, shift: Shift): Promise<Handled> {
  const found = message.kind === 'run' ? await findStarted(message.triggerId) : await begin(message);
  if ('kind' in found) return found;
  const { run, row } = found;
  const flow = await loadFlow(row);
  const lease = randomUUID();
  const now = Date.now();
  if (!(await claimRun(run, lease, now, now + leaseMs))) return { kind: 'busy' };
  const context = contextOf(run);
  const snapshot = await lastSnapshot(run);
  const finished = await execute({
    run,
    lease,
    leaseMs,
    flow,
    input: inputOf(run),
    env: await variablesOf(row, run.environment),
    snapshot,
    seal: createSealer(context),
    yieldAfterMs: shift.remainingMs() - handOverMs,
    log: shift.log,
  });
  if (finished.status === 'yielded') {
    await releaseRun(run.run_id, lease);
    await enqueue({ kind: 'run', triggerId: run.run_id, orgid: run.orgid, workspaceid: run.workspaceid });
  }
  return done;
}

type Found = { readonly run: StoredRun; readonly row: StoredRow } | Handled;

/** The conditional put of the header is where a duplicate delivery is found out. */
async function begin(message: WebhookMessage | ScheduleMessage): Promise<Found> {
  const existing = await readRun(message.triggerId);
  if (existing) return await goOnWith(existing);
  const start = await startOfMessage(message);
  if (typeof start === 'string') return { kind: 'hopeless', reason: start };
  const run = newRun({ ...start, mode: 'queued', now: Date.now(), limitMs: queuedLimitMs });
  await notifyWhenOver(run);
  return (await insertRun(run)) ? { run, row: start.row } : { kind: 'busy' };
}

async function findStarted(id: string): Promise<Found> {
  const run = await readRun(id);
  return run ? await goOnWith(run) : { kind: 'hopeless', reason: `There is no run ${id}.` };
}

async function goOnWith(run: StoredRun): Promise<Found> {
  if (isFinal(run.status)) return done;
  if (run.lease_until >= Date.now()) return { kind: 'busy' };
  const row = await readRow(run.a2aregistryid);
  if (row && (run.generation === 0 || row.payload_id === run.payload_id)) return { run, row };
  const reason = `The build ${run.a2aregistryid} ${row ? 'got another flow while the run waited' : 'of the run is gone'}.`;
  await endRun(run, { status: 'failed', error: reason });
  return { kind: 'hopeless', reason };
}

async function lastSnapshot(run: StoredRun): Promise<Snapshot | undefined> {
  if (run.generation === 0) return undefined;
  const sealed = await readSnapshot(run.run_id);
  return sealed && (JSON.parse(await open(sealed, contextOf(run))) as Snapshot);
}

const contextOf = (run: StoredRun) => ({
  tenant: requireEnv('TENANT_ID'),
  orgid: run.orgid,
  workspaceid: run.workspaceid,
  runid: run.run_id,
  purpose: 'snapshot',
});

function inputOf(run: StoredRun): FlowInput {
  if (run.input === undefined)
    throw new ServiceError('internal', { cause: `The run ${run.run_id} was stored without its input.` });
  return JSON.parse(run.input) as FlowInput;
}
