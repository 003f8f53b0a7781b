// One delivery from the run queue: executes the run of the message to its end, or as far as the time of this
// invocation allows. The message is then deleted, sent again with a delay, or moved to the dead-letter queue
// with the reason. A duplicate message finds the run leased or ended and has no effect. A worker that dies
// leaves a lease that expires, and the next delivery resumes the run from the last snapshot.
import { randomUUID } from 'node:crypto';
import { redrivePush } from '#lib/delivery/push-letter.ts';
import { readRunSettings } from '#lib/environment/environment-items.ts';
import type { RunOptions } from '#lib/flow/engine/run-flow.ts';
import { findScopeTasks } from '#lib/flow/engine/snapshot.ts';
import type { RemoteTask } from '#lib/flow/ports/agent.ts';
import { readIncomingTrace } from '#lib/http/incoming-trace.ts';
import type { Log } from '#lib/log.ts';
import { readRow } from '#lib/registry/row/row-items.ts';
import type { StoredRow } from '#lib/registry/row/stored-row.ts';
import { takeSentEvents } from '#lib/run/awaited-events.ts';
import { cancelStoredTasks } from '#lib/run/cancel-remote-tasks.ts';
import { endIfAbandoned, endRun, expireTogether } from '#lib/run/end.ts';
import { type ExecutionResult, execute } from '#lib/run/execute.ts';
import { type FailedEnd, failedOutside } from '#lib/run/failure.ts';
import { claimsMax, leaseMs, marginMs } from '#lib/run/lease-times.ts';
import { loadFlow } from '#lib/run/load-flow.ts';
import { wakeRun } from '#lib/run/resume.ts';
import { readRun } from '#lib/run/run-items.ts';
import { claimRun, releaseRun } from '#lib/run/run-lease.ts';
import {
  type EventMessage,
  enqueue,
  type NotificationMessage,
  type PushLetter,
  park,
  type QueueMessage,
  readMessage,
  toRunMessage,
  type WakeMessage,
} from '#lib/run/run-queue.ts';
import { type Progress, readProgress } from '#lib/run/run-snapshot.ts';
import { isFinal, isPaused, queuedLimitMs, type StoredRun } from '#lib/run/stored-run.ts';
import { notificationId } from '#lib/run/task-notification.ts';
import type { TraceContext } from '#lib/trace-context.ts';
import { type BegunRun, beginRun, type FirstMessage, gone, readExisting } from './begin-run.ts';

export interface Invocation {
  /** That of the event, for a run that begins with the message. */
  readonly trace?: TraceContext | undefined;
  /** Whether the message was delivered before. */
  readonly isRepeated?: boolean;
  /** Has the message delivered again soon, should this worker die. */
  readonly hide?: () => void;
  /** The time left for this invocation, in ms. */
  readonly remainingMs: () => number;
  readonly log: Log;
}

interface RunDelivery extends Invocation {
  readonly body: string;
  /** Reads an attribute of the message. */
  readonly attribute?: (name: string) => string | undefined;
  readonly isLastTry: boolean;
}

/** Throws when the message must be delivered again. */
export async function runDelivery(delivery: RunDelivery): Promise<void> {
  const reason = await handle(delivery);
  if (reason === undefined) return;
  delivery.hide?.();
  await park(delivery.body, reason);
  delivery.log.error('message parked', { reason });
}

/** Returns the reason why the message can never be run; undefined when nothing is left to do. */
async function handle(delivery: RunDelivery): Promise<string | undefined> {
  const message = readMessage(delivery.body);
  if (!message.success)
    return `The message is malformed: ${message.error.issues.map((issue) => issue.message).join('; ')}`;
  // The messages of runs that are stored, and those that may have killed a worker already.
  if (delivery.isRepeated || !isFirst(message.data)) delivery.hide?.();
  try {
    if (message.data.kind === 'wake') return void (await wakeRun(message.data.triggerId));
    if (message.data.kind === 'push') return void (await redrivePush(message.data));
    const trace = await readTrace(delivery);
    const outcome = await runQueued(message.data, { ...delivery, trace });
    if (outcome.kind === 'hopeless') return outcome.reason;
    // A message of its own: if this one were delivered again, its deliveries would be counted.
    if (outcome.kind === 'later') await enqueue(toNextMessage(message.data, outcome.run), outcome.delayMs);
    return undefined;
  } catch (error) {
    if (!delivery.isLastTry) throw error;
    // The run reads the task at its time.
    if (message.data.kind === 'notification') return undefined;
    return `Every try failed, the last with ${error instanceof Error ? `${error.name}: ${error.message}` : 'an unknown error'}`;
  }
}

async function readTrace({ attribute }: RunDelivery): Promise<TraceContext | undefined> {
  const traceparent = attribute?.('traceparent');
  return await readIncomingTrace({ traceparent, tracestate: attribute?.('tracestate') });
}

const toNextMessage = (message: QueueMessage, run: StoredRun): QueueMessage =>
  message.kind === 'notification' ? message : toRunMessage(run);

/**
 * `done`: nothing is left to do. `later`: another worker holds the run, or the run is paused until a time.
 * `hopeless`: no later delivery can help, and there is no run to report it in.
 */
export type MessageOutcome =
  | { readonly kind: 'done' }
  | { readonly kind: 'later'; readonly run: StoredRun; readonly delayMs: number }
  | { readonly kind: 'hopeless'; readonly reason: string };

const done: MessageOutcome = { kind: 'done' };
/** Left at the end of an invocation to store the snapshot and to send the message that continues the run. */
const handOverMs = 20_000;
/** The same for a node that does not end before: it is interrupted, and executed again by the next invocation. */
const interruptMs = 10_000;

type RunnableMessage = Exclude<QueueMessage, WakeMessage | PushLetter>;

export async function runQueued(message: RunnableMessage, invocation: Invocation): Promise<MessageOutcome> {
  if (isFirst(message)) return await runFirst(message, invocation);
  return await runIfReady(await prepareRun(message, invocation.log), invocation);
}

const isFirst = (message: QueueMessage | WakeMessage | PushLetter): message is FirstMessage =>
  message.kind === 'webhook' || message.kind === 'schedule';

async function runFirst(message: FirstMessage, invocation: Invocation): Promise<MessageOutcome> {
  const { trace, isRepeated = false, hide = () => undefined, log } = invocation;
  const runStored = async (run: StoredRun) => {
    hide();
    return await runIfReady(await checkStored(run, log), invocation);
  };
  const beginning = await beginRun(message, { trace, isRepeated, hide, log });
  if (beginning.kind === 'stored') return await runStored(beginning.run);
  if (beginning.kind !== 'begun') return beginning;
  const { begun } = beginning;
  const { status } = await executeHeld(begun, invocation);
  if (status !== 'lost' || !begun.header) return done;
  // Another worker has stored a run of this id meanwhile, and may have left something to do.
  const other = await readExisting(message, log);
  if (!other) throw gone(message);
  return await runStored(other);
}

async function runIfReady(ready: ReadyRun | MessageOutcome, invocation: Invocation): Promise<MessageOutcome> {
  if ('kind' in ready) return ready;
  const { row, progress, isNotified } = ready;
  const flow = await loadFlow(row);
  const lease = randomUUID();
  const now = Date.now();
  const run = withDeadline(ready.run, now);
  if (!(await claimRun(run, lease, now, now + leaseMs))) return await checkAgain(run);
  await executeHeld({ run, lease, row, flow, progress, isNotified }, invocation);
  return done;
}

/** A run whose lease this worker holds. What is known of it already is not read again. */
type HeldRun = Omit<BegunRun, 'settings' | 'header'> &
  Partial<BegunRun> &
  Pick<ReadyRun, 'progress' | 'isNotified'>;

async function executeHeld(held: HeldRun, { remainingMs, log }: Invocation): Promise<ExecutionResult> {
  const { run, lease, row, flow, isNotified, header } = held;
  try {
    const progress = held.progress ?? (await readProgress(run));
    return await execute({
      run,
      lease,
      leaseMs,
      flow,
      header,
      ...(held.settings ?? (await readRunSettings(row, run.environment))),
      ...progress,
      sentEvents: await takeSentEvents(run, progress.snapshot),
      ...(isNotified && { isNotified }),
      limitMs: run.deadline - Date.now(),
      yieldAfterMs: remainingMs() - handOverMs,
      interruptAfterMs: remainingMs() - interruptMs,
      log,
    });
  } catch (error) {
    // The next delivery need not wait for a lease that nobody uses. Where this fails too, the lease expires
    // by itself.
    await releaseRun(run, lease).catch(() => undefined);
    throw error;
  }
}

/** A run that can be claimed, with its build. */
interface ReadyRun {
  readonly run: StoredRun;
  readonly row: StoredRow;
  /** Where it was read already. The claim has the condition that the run has not changed since. */
  readonly progress?: Progress | undefined;
  readonly isNotified?: RunOptions['isNotified'] | undefined;
}

async function prepareRun(
  message: Exclude<RunnableMessage, FirstMessage>,
  log: Log,
): Promise<ReadyRun | MessageOutcome> {
  if (message.kind === 'run') return await findStored(message.triggerId, log);
  return message.kind === 'event' ? await findWaiting(message, log) : await findNotified(message, log);
}

async function findStored(id: string, log: Log): Promise<ReadyRun | MessageOutcome> {
  const run = await readRun(id);
  return run ? await checkStored(run, log) : { kind: 'hopeless', reason: `There is no run ${id}.` };
}

async function checkStored(stored: StoredRun, log: Log): Promise<ReadyRun | MessageOutcome> {
  const now = Date.now();
  const run = await endIfAbandoned(stored, now);
  if (isFinal(run.status)) {
    // The worker that ended the run may have died before it had done this.
    if (run.wake_at !== undefined) await expireTogether(run.run_id);
    // Spans that are sent twice are the same.
    if (run.exported) await (await import('#lib/run/export-queue.ts')).enqueueExport(run, log);
    await cancelStoredTasks(run, log);
    return done;
  }
  // An answer, or a stored connection, sends a message of its own for a paused run.
  if (isPaused(run.status) && !run.wake_at) return done;
  const pausedUntil = Math.max(run.wake_at ?? 0, run.lease_until);
  if (pausedUntil < now) return await withRow(run, log);
  return (await findMissed(run, now, log)) ?? later(run, pausedUntil - now);
}

/**
 * A worker that died when it had stored the pause has not looked for events that were sent at that moment. Another
 * one does: with the message that comes again, or with the next look at a run that waits for long.
 */
async function findMissed(run: StoredRun, now: number, log: Log): Promise<ReadyRun | undefined> {
  if (!run.awaits_events || run.lease_until >= now) return undefined;
  const progress = await readProgress(run);
  if ((await takeSentEvents(run, progress.snapshot)).length === 0) return undefined;
  const ready = await withRow(run, log);
  return 'kind' in ready ? undefined : { ...ready, progress };
}

/**
 * A run that is executed looks for its events when it pauses. One that is not over looks now, even if it finds none
 * any more: whoever has sent the event has removed its item, which the next pause stores again.
 */
async function findWaiting(message: EventMessage, log: Log): Promise<ReadyRun | MessageOutcome> {
  const run = await readRun(message.triggerId);
  if (!run || isFinal(run.status) || !run.awaits_events || run.lease_until >= Date.now()) return done;
  const ready = await withRow(run, log);
  return 'kind' in ready ? ready : { ...ready, progress: await readProgress(run) };
}

async function withRow(run: StoredRun, log: Log): Promise<ReadyRun | MessageOutcome> {
  const row = await readRow(run.a2aregistryid);
  if (!row)
    return await failRun(
      run,
      failedOutside('run.build_gone', `The build ${run.a2aregistryid} of the run is gone.`),
      log,
    );
  const obstacle = findObstacle(run, row);
  return obstacle ? await failRun(run, obstacle, log) : { run, row };
}

/** A run that is executed may have read the task before, so its notification waits until the run is paused. */
const busyMs = 7_000;
/** The longer it has waited, the rarer it looks: an agent that notifies all the time must not keep the workers busy. */
const busyShare = 0.5;
/** An agent that notifies often makes a run read its task no more often than this. */
const readEveryMs = 5_000;

/**
 * Nothing is left to do for a run that does not wait for the task, or has read it since. So a notification that
 * comes again has no effect.
 */
async function findNotified(message: NotificationMessage, log: Log): Promise<ReadyRun | MessageOutcome> {
  const run = await readRun(message.triggerId);
  if (!run || isFinal(run.status) || (isPaused(run.status) && !run.wake_at)) return done;
  const now = Date.now();
  const receivedAt = Date.parse(message.received_at);
  if (run.lease_until >= now || (run.wake_at ?? 0) <= now)
    return later(run, Math.max(busyMs, (now - receivedAt) * busyShare));
  const progress = await readProgress(run);
  const isNotified = (task: RemoteTask) => notificationId(task) === message.task;
  const task = progress.snapshot && findScopeTasks(progress.snapshot).find(isNotified);
  const { read_at = 0 } = task ?? {};
  if (!task || read_at > receivedAt + marginMs) return done;
  if (read_at + readEveryMs > now) return later(run, read_at + readEveryMs - now);
  const ready = await withRow(run, log);
  return 'kind' in ready ? ready : { ...ready, progress, isNotified };
}

/**
 * The run itself reports the reason. A dead letter would promise another try, which an ended run does not
 * have.
 */
async function failRun(run: StoredRun, end: FailedEnd, log: Log): Promise<MessageOutcome> {
  await endRun(run, end);
  await cancelStoredTasks(await readRun(run.run_id), log);
  log.error('run given up', { run_id: run.run_id, flowid: run.flowid, reason: end.error });
  return done;
}

function findObstacle(run: StoredRun, row: StoredRow): FailedEnd | undefined {
  if ((run.generation > 0 || run.fork) && row.payload_id !== run.payload_id) {
    const text = `The build ${run.a2aregistryid} got another flow while the run waited.`;
    return failedOutside('run.build_changed', text);
  }
  if ((run.claims ?? 0) < claimsMax) return undefined;
  const text = `The run was the end of ${claimsMax} workers in a row, at the same place.`;
  return failedOutside('run.workers_lost', text);
}

/** Another worker was faster. */
async function checkAgain(run: StoredRun): Promise<MessageOutcome> {
  const now = await readRun(run.run_id);
  if (!now || isFinal(now.status)) return done;
  return later(now, now.lease_until - Date.now());
}

const later = (run: StoredRun, waitMs: number): MessageOutcome => ({
  kind: 'later',
  run,
  delayMs: Math.max(waitMs, 0) + marginMs,
});

/**
 * The time limit of a run counts from when a worker first takes it, not from when it was queued, and does not
 * count while it is paused.
 */
const withDeadline = (run: StoredRun, now: number): StoredRun =>
  run.generation === 0 || isPaused(run.status) || (run.wake_at ?? 0) > now
    ? { ...run, deadline: now + queuedLimitMs() }
    : run;
