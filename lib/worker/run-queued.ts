// Runs one message of the run queue to its end, or as far as this invocation's time goes. A duplicate finds the run taken or over and
// has no effect; a runner that died leaves a lease that runs out, and the next delivery goes on from its last snapshot.
import { randomUUID } from 'node:crypto';
import { variablesOf } from '#lib/environment/find-build.ts';
import { ServiceError } from '#lib/errors.ts';
import type { FlowInput } from '#lib/flow/engine/run-flow.ts';
import type { Log } from '#lib/log.ts';
import { readRow } from '#lib/registry/row-items.ts';
import type { StoredRow } from '#lib/registry/stored-row.ts';
import { continueRun } from '#lib/run/continue.ts';
import { inputOf } from '#lib/run/encrypted-run.ts';
import { snapshotSealer, whereItStands } from '#lib/run/encrypted-snapshot.ts';
import { endIfAbandoned, endRun } from '#lib/run/end.ts';
import { notifyWhenOver } from '#lib/run/enqueue-callback.ts';
import { execute, type Finished } from '#lib/run/execute.ts';
import { queuedLimitMs, queueWaitMs } from '#lib/run/keep-until.ts';
import { claimsMax, leaseMs, marginMs } from '#lib/run/lease-times.ts';
import { loadFlow } from '#lib/run/load-flow.ts';
import { expireTogether } from '#lib/run/retention-items.ts';
import { claimRun, insertRun, readRun, releaseRun } from '#lib/run/run-items.ts';
import type { QueueMessage, ScheduleMessage, WakeMessage, WebhookMessage } from '#lib/run/run-queue.ts';
import { newRun } from '#lib/run/start.ts';
import { isFinal, isPaused, type StoredRun } from '#lib/run/stored-run.ts';
import { eventFingerprint } from '#lib/trigger/event-fingerprint.ts';
import { startOfMessage } from '#lib/trigger/start-of-message.ts';

export interface Shift {
  /** What is left of this invocation, in ms. */
  readonly remainingMs: () => number;
  readonly log: Log;
}

/** `done` also when there was nothing to do; `later` when another runner is at it or the run rests; `hopeless` with the reason when no later try can help and there is no run to tell of it. */
export type Handled =
  | { readonly kind: 'done' }
  | { readonly kind: 'later'; readonly run: StoredRun; readonly delayMs: number }
  | { readonly kind: 'hopeless'; readonly reason: string };

const done: Handled = { kind: 'done' };
/** Left at the end of an invocation to store the snapshot and to send the continuation. */
const handOverMs = 20_000;

export async function runQueued(message: Exclude<QueueMessage, WakeMessage>, shift: Shift): Promise<Handled> {
  const { log } = shift;
  const found =
    message.kind === 'run' ? await findStarted(message.triggerId, log) : await begin(message, log);
  if ('kind' in found) return found;
  const { row } = found;
  const flow = await loadFlow(row);
  const lease = randomUUID();
  const now = Date.now();
  const run = withItsTime(found.run, now);
  if (!(await claimRun(run, lease, now, now + leaseMs))) return await lookAgain(run, log);
  try {
    const finished = await execute({
      run,
      lease,
      leaseMs,
      flow,
      input: await flowInputOf(run),
      env: await variablesOf(row, run.environment),
      ...(await whereItStands(run)),
      seal: snapshotSealer(run),
      limitMs: run.deadline - Date.now(),
      yieldAfterMs: shift.remainingMs() - handOverMs,
      log: shift.log,
    });
    await goOn(run, lease, finished);
    return done;
  } catch (error) {
    // Whoever tries again need not wait for a lease that nobody uses. Where this fails too, it runs out by itself.
    await releaseRun(run, lease).catch(() => undefined);
    throw error;
  }
}

/** The time of a run begins when it is worked on, not when it came into the queue, and stands still while it waits for somebody. */
const withItsTime = (run: StoredRun, now: number): StoredRun =>
  run.generation === 0 || isPaused(run.status) ? { ...run, deadline: now + queuedLimitMs() } : run;

async function goOn(run: StoredRun, lease: string, finished: Finished): Promise<void> {
  if (finished.status === 'yielded') await releaseRun({ run_id: run.run_id }, lease);
  await continueRun(run, finished);
}

type Found = { readonly run: StoredRun; readonly row: StoredRow } | Handled;

/** The conditional put of the header is where a duplicate delivery is found out. */
async function begin(message: WebhookMessage | ScheduleMessage, log: Log): Promise<Found> {
  const existing = await readRun(message.triggerId);
  if (existing) {
    if (message.kind === 'webhook')
      reportOtherEvent(existing, eventFingerprint(message.triggerId, message.event), log);
    return await goOnWith(existing, log);
  }
  const start = await startOfMessage(message);
  if (typeof start === 'string') return { kind: 'hopeless', reason: start };
  const run = newRun({ ...start, mode: 'queued', now: Date.now(), limitMs: queueWaitMs });
  await notifyWhenOver(run);
  return (await insertRun(run)) ? { run, row: start.row } : await lookAgain(run, log);
}

/** Whoever sent this event was told that it is accepted, before the run of its name could be seen. */
function reportOtherEvent(run: StoredRun, fingerprint: string | undefined, log: Log): void {
  if (run.fingerprint === undefined || fingerprint === undefined || run.fingerprint === fingerprint) return;
  log.warn('event dropped: its name has a run of another event', {
    run_id: run.run_id,
    orgid: run.orgid,
    workspaceid: run.workspaceid,
    flowid: run.flowid,
  });
}

async function findStarted(id: string, log: Log): Promise<Found> {
  const run = await readRun(id);
  return run ? await goOnWith(run, log) : { kind: 'hopeless', reason: `There is no run ${id}.` };
}

async function goOnWith(found: StoredRun, log: Log): Promise<Found> {
  const now = Date.now();
  const run = await endIfAbandoned(found, now);
  if (isFinal(run.status)) {
    // The worker that ended it may have died before it had done this.
    if (run.wake_at !== undefined) await expireTogether(run.run_id);
    return done;
  }
  // A run that waits for somebody has a message of its own once that has happened.
  if (isPaused(run.status) && !run.wake_at) return done;
  const restsUntil = Math.max(run.wake_at ?? 0, run.lease_until);
  if (restsUntil >= now) return later(run, restsUntil - now);
  const row = await readRow(run.a2aregistryid);
  const reason = whyNot(run, row);
  return row && reason === undefined ? { run, row } : await giveUp(run, reason ?? 'unknown', log);
}

/** Whoever started it learns why from the run itself. A dead letter would promise another try, which a run that is over does not have. */
async function giveUp(run: StoredRun, error: string, log: Log): Promise<Handled> {
  await endRun(run, { status: 'failed', error });
  log.error('run given up', { run_id: run.run_id, flowid: run.flowid, reason: error });
  return done;
}

function whyNot(run: StoredRun, row: StoredRow | undefined): string | undefined {
  if (!row) return `The build ${run.a2aregistryid} of the run is gone.`;
  if (run.generation > 0 && row.payload_id !== run.payload_id)
    return `The build ${run.a2aregistryid} got another flow while the run waited.`;
  if ((run.claims ?? 0) < claimsMax) return undefined;
  return `The run was the end of ${claimsMax} workers in a row, at the same place.`;
}

/** Somebody was faster; the run as it is now tells what is left to do. */
async function lookAgain(run: StoredRun, log: Log): Promise<Handled> {
  const now = await readRun(run.run_id);
  if (now) reportOtherEvent(now, run.fingerprint, log);
  if (!now || isFinal(now.status)) return done;
  return later(now, now.lease_until - Date.now());
}

const later = (run: StoredRun, restMs: number): Handled => ({
  kind: 'later',
  run,
  delayMs: Math.max(restMs, 0) + marginMs,
});

async function flowInputOf(run: StoredRun): Promise<FlowInput> {
  const input = await inputOf(run);
  if (input === undefined)
    throw new ServiceError('internal', { cause: `The run ${run.run_id} was stored without its input.` });
  return JSON.parse(input) as FlowInput;
}
