// Runs a flow for a run that this process holds the lease of: the engine with its ports, the recorder, and
// what follows from the outcome. A run that is not over is resumed by another invocation, which is arranged
// here.
import { isRefusedForGood } from '#lib/aws-errors.ts';
import type { Used } from '#lib/flow/engine/budget.ts';
import type { InputRequest } from '#lib/flow/engine/pause.ts';
import type { Ports } from '#lib/flow/engine/ports.ts';
import { type Outcome, runFlow } from '#lib/flow/engine/run-flow.ts';
import { findRequests, resumesAt, type Snapshot } from '#lib/flow/engine/snapshot.ts';
import type { LogEntry } from '#lib/flow/ports/log-entry.ts';
import type { Awaiting } from './awaited-events.ts';
import { listWaiting, lookForEvents, noteAwaiting, readAwaiting } from './awaiting.ts';
import { readCallChain, toStoredUse } from './call-chain.ts';
import { clock } from './compute/clock.ts';
import { endRun, expireTogether, followEnd, logDefect, logRunError, reportEnd } from './end.ts';
import type { Execution } from './execution.ts';
import { failedOutside, interrupted, notQueued, notRecorded, toFailedEnd } from './failure.ts';
import { hasFailed, keepInput, openKeeper } from './keep-values.ts';
import { describeNeeds, findMissing, toRunNeeds } from './missing-connections.ts';
import { createRecorder, type Recorder, type RunEnd, type RunPause } from './recorder.ts';
import { queueRun, queueUntil } from './resume-later.ts';
import { type HeaderChange, readEvents } from './run-items.ts';
import { releaseRun } from './run-lease.ts';
import type { RunNeeds } from './run-needs.ts';
import { createRuntimePorts } from './runtime-ports.ts';
import { trackExecution } from './shutdown.ts';
import { keepWhilePaused, queuedLimitMs, type StoredRun } from './stored-run.ts';
import { createTaskCanceler, type TaskCanceler } from './task-canceler.ts';

/** How an execution ends, with the log of the run as far as this process has written it. */
export type ExecutionResult = Result & { readonly logs: readonly LogEntry[] };
type Result =
  | RunEnd
  /** Canceled, or taken over by another process: nothing more was written. */
  | { readonly status: 'lost' }
  /** Not over: the snapshot is stored, and another invocation resumes the run. */
  | { readonly status: 'yielded' }
  /** Not over: the snapshot is stored, and another invocation resumes the run at that time. */
  | { readonly status: 'waiting'; readonly wakeAt: number; readonly awaiting: Awaiting }
  /** Has not begun, and does not until the connections are stored. */
  | { readonly status: 'auth_required'; readonly needs: RunNeeds }
  /** Paused until somebody answers, or until `wakeAt`. */
  | {
      readonly status: 'input_required';
      readonly requests: readonly InputRequest[];
      readonly wakeAt: number | undefined;
      readonly awaiting: Awaiting;
    };

export async function execute(execution: Execution): Promise<ExecutionResult> {
  return await trackExecution((stop) => executeTracked(execution, stop));
}

async function executeTracked(execution: Execution, stop: AbortController): Promise<ExecutionResult> {
  const logs: LogEntry[] = [];
  const canceler = createTaskCanceler(execution.run, execution.log);
  const timer = startTimer(execution.interruptAfterMs, () => stop.abort());
  try {
    const progress = { logs, snapshot: execution.snapshot, canceler };
    const result = await resumeOrEnd(execution, await runAndRecord(execution, progress, stop));
    await canceler.leave(result.status);
    return { ...result, logs };
  } finally {
    clearTimeout(timer);
    await canceler.settle();
  }
}

const startTimer = (ms: number | undefined, callback: () => void) =>
  ms === undefined ? undefined : setTimeout(callback, Math.max(ms, 0));

/** `stop` is aborted when the process or its time is about to end, and here when the run belongs to another one. */
async function runAndRecord(
  execution: Execution,
  progress: Progress,
  stop: AbortController,
): Promise<Result> {
  const { run, flow, input, snapshot, answer, yieldAfterMs } = execution;
  const recorder = createRecorder({ ...execution, readUsed: () => toStoredUse(run, progress.used) });
  const keeper = await openKeeper(execution);
  const observer = { onUsage: recorder.use, watch: keeper?.watchModel };
  const ports = createRuntimePorts(run, flow.connections, observer);
  recorder.lost.addEventListener('abort', () => stop.abort(), { once: true });
  const { signal } = stop;
  try {
    const outcome = await runFlow(flow, {
      runId: run.run_id,
      turn: run.turn ?? 1,
      ...readCallChain(input, run.flowid),
      missingConnections: hasBegun(snapshot) ? [] : await findMissing(run, flow.connections),
      input,
      env: execution.env,
      startedAt: Date.parse(run.created_at),
      ports: {
        ...ports,
        ...createRecordingPorts(execution, recorder, signal, progress),
        ...(keeper && { watch: keeper.watch }),
        cancelTask: progress.canceler.cancel,
      },
      timeoutMs: execution.limitMs,
      signal,
      onUsed: (used) => {
        progress.used = used;
      },
      onTasks: progress.canceler.keep,
      // A run that a caller waits for may sleep; another is paused, so that no function waits with it.
      patienceMs: run.mode === 'inline' ? Number.POSITIVE_INFINITY : patienceMs,
      ...(run.mode === 'queued' && { taskPatienceMs }),
      ...(snapshot && { snapshot }),
      ...(answer && { answer }),
      ...(execution.sentEvents && { sentEvents: execution.sentEvents }),
      ...(execution.isNotified && { isNotified: execution.isNotified }),
      ...(yieldAfterMs !== undefined && { yieldAt: clock.monotonic() + yieldAfterMs }),
    });
    await keeper?.close(hasFailed(outcome));
    return await recordOutcome(execution, recorder, outcome, progress);
  } catch (error) {
    if (!isRefusedForGood(error)) throw error;
    return await recordRefusal(execution, recorder, error);
  } finally {
    recorder.close();
    await ports.close();
  }
}

/** A fork begins with a snapshot. */
const hasBegun = (snapshot: Snapshot | undefined): boolean =>
  snapshot !== undefined && snapshot.reused === undefined;

/** Longer waits of a queued run free its worker. */
const patienceMs = 5_000;
/** A queued run that has waited for a task of another agent for so long is paused between its looks at it. */
const taskPatienceMs = 30_000;

interface Progress {
  readonly canceler: TaskCanceler;
  readonly logs: LogEntry[];
  /** The last one of a run that is inline: it is stored only if the process stops. */
  snapshot: Snapshot | undefined;
  /** Of the budget; changes while the engine executes the run. */
  used?: Readonly<Used>;
}

function createRecordingPorts(
  execution: Execution,
  recorder: Recorder,
  /** Aborted when the run belongs to another process, and when this one is about to stop. */
  signal: AbortSignal,
  progress: Progress,
): Pick<Ports, 'checkpoint' | 'log' | 'text' | 'reply'> {
  /**
   * A client that follows the run gets this at once, not with the next tick. A write that fails is tried
   * again with the next.
   */
  const flush = () => {
    if (execution.isFollowed) recorder.flush().catch(() => undefined);
  };
  return {
    checkpoint: async (snapshot) => {
      if (execution.run.mode === 'queued') await recorder.checkpoint(snapshot);
      else progress.snapshot = snapshot;
    },
    log: (entry) => {
      // An interruption is not part of the run, which continues in another process.
      if (signal.aborted) return;
      progress.logs.push(entry);
      recorder.log(entry);
    },
    text: (piece) => {
      recorder.text(piece);
      // The first chunk is sent at once. The rest comes with the ticks: models write faster than tables
      // should be written.
      if (piece.chunk && !piece.chunk.append) flush();
    },
    reply: (reply, key) => {
      recorder.reply({ ...reply, key });
      flush();
    },
  };
}

async function recordOutcome(
  execution: Execution,
  recorder: Recorder,
  outcome: Outcome,
  progress: Progress,
): Promise<Result> {
  if (recorder.lost.aborted) return { status: 'lost' };
  switch (outcome.status) {
    case 'completed':
      return await recordEnd(execution, recorder, outcome, progress);
    case 'failed':
      if (outcome.error.code === 'canceled') return await handOver(execution, recorder, progress);
      if (outcome.error.code === 'internal') logDefect(execution.log, execution.run, outcome.error);
      return await recordEnd(execution, recorder, toFailedEnd(outcome.error), progress);
    case 'auth_required':
      return await pauseForConnections(execution, recorder, toRunNeeds(execution.run, outcome.needs));
    case 'yielded':
      return (await recorder.save(outcome.snapshot)) ? { status: 'yielded' } : { status: 'lost' };
    case 'waiting':
    case 'input_required':
      return await pauseRun(execution, recorder, outcome);
    case 'refused':
      return await askAgain(execution, recorder, outcome.error);
  }
}

/**
 * The process or its invocation is about to end: a worker resumes the run, from the last snapshot if there is one. The caller of
 * a synchronous trigger loses his connection and would never come back to the run.
 */
async function handOver(execution: Execution, recorder: Recorder, { snapshot }: Progress): Promise<Result> {
  const { run, input } = execution;
  const isInline = run.mode === 'inline';
  if (isInline && run.trigger === 'api') return await recordEnd(execution, recorder, interrupted);
  const header: HeaderChange = isInline
    ? { mode: 'queued', input: JSON.stringify(input), deadline: Date.now() + queuedLimitMs() }
    : {};
  const isKept = await recorder.pause({ status: 'working', header }, isInline ? snapshot : undefined);
  return { status: isKept ? 'yielded' : 'lost' };
}

type PausedOutcome = Extract<Outcome, { status: 'waiting' | 'input_required' }>;

/** A caller who waited gets an answer now; the worker resumes the run. */
async function pauseRun(execution: Execution, recorder: Recorder, outcome: PausedOutcome): Promise<Result> {
  const { run, input, lease } = execution;
  const { status, until, snapshot } = outcome;
  const awaiting = readAwaiting(snapshot);
  const wakeAt = until === undefined ? undefined : Date.parse(until);
  const requests = status === 'input_required' ? outcome.requests : undefined;
  const pause: RunPause = {
    status: requests ? 'input_required' : 'working',
    ...(requests && { requests }),
    waiting: await listWaiting(run, lease, awaiting),
    header: {
      mode: 'queued',
      wake_at: wakeAt ?? 0,
      ...noteAwaiting(run, awaiting),
      input: JSON.stringify(input),
      // A pause takes nothing of the run's time.
      deadline: (wakeAt ?? Date.now()) + queuedLimitMs(),
      ttl: keepWhilePaused(run, wakeAt, Date.now()),
    },
  };
  if (!(await recordPause(run, recorder, pause, snapshot))) return { status: 'lost' };
  return requests
    ? { status: 'input_required', requests, wakeAt, awaiting }
    : { status: 'waiting', wakeAt: wakeAt ?? Date.now(), awaiting };
}

/**
 * The synchronous trigger answers with the result and nothing else, so its caller would never come back to
 * the run.
 */
async function pauseForConnections(
  execution: Execution,
  recorder: Recorder,
  needs: RunNeeds,
): Promise<Result> {
  const { run, lease, input } = execution;
  if (run.trigger === 'api')
    return await recordEnd(execution, recorder, failedOutside('connection.missing', describeNeeds(needs)));
  const ttl = keepWhilePaused(run, undefined, Date.now());
  const header = { mode: 'queued', wake_at: 0, input: JSON.stringify(input), ttl } as const;
  const [first] = needs.connections;
  // Few runs of few processes pause: the first one loads what finds them again.
  const { toWaitingItem } = await import('./wake-waiting.ts');
  const waiting = first && [toWaitingItem(run, lease, first)];
  const isKept = await recordPause(run, recorder, { status: 'auth_required', needs, waiting, header });
  return isKept ? { status: 'auth_required', needs } : { status: 'lost' };
}

async function recordPause(
  run: StoredRun,
  recorder: Recorder,
  pause: RunPause,
  snapshot?: Snapshot,
): Promise<boolean> {
  if (!(await recorder.pause(pause, snapshot))) return false;
  if (pause.header.ttl !== run.ttl) await expireTogether(run.run_id);
  return true;
}

type Refusal = Extract<Outcome, { status: 'refused' }>['error'];

/**
 * Answers are checked before they are stored, so this one has met another state of the run, whose questions
 * are still open.
 */
async function askAgain(execution: Execution, recorder: Recorder, refusal: Refusal): Promise<Result> {
  const { snapshot } = execution;
  const requests = snapshot ? findRequests(snapshot) : [];
  if (!snapshot || requests.length === 0)
    return await recordEnd(execution, recorder, failedOutside(refusal.code, refusal.message));
  const until = resumesAt(snapshot);
  return await pauseRun(execution, recorder, {
    status: 'input_required',
    requests,
    snapshot,
    ...(until !== undefined && { until }),
  });
}

async function recordEnd(
  execution: Execution,
  recorder: Recorder,
  end: RunEnd,
  progress?: Progress,
): Promise<Result> {
  const { run, log } = execution;
  try {
    if (progress?.used) progress.used = await progress.canceler.charge(progress.used);
    const header = keepInput(execution, end);
    if (!(await recorder.finish(end, progress?.canceler.hasTasks(), header))) return { status: 'lost' };
    await followEnd(toExported(execution), log);
  } catch (error) {
    // A queued run is delivered again; for a caller who waits, a result that could not be recorded is still
    // the result.
    if (run.mode === 'queued' || isRefusedForGood(error)) throw error;
    logRunError(log, 'run not recorded', run, error);
  }
  reportEnd(log, run, end);
  return end;
}

/** The sink may have been set since the run began. */
const toExported = ({ run, isExported }: Execution): StoredRun => ({ ...run, exported: isExported });

/** The table would refuse the same write again, so the run is not delivered again. */
async function recordRefusal(execution: Execution, recorder: Recorder, refusal: unknown): Promise<Result> {
  const { run, log } = execution;
  logRunError(log, 'run not recorded', run, refusal);
  if (!(await recorder.fail(notRecorded))) return { status: 'lost' };
  await followEnd(toExported(execution), log);
  reportEnd(log, run, notRecorded);
  return notRecorded;
}

/**
 * The message of a queued run is delivered again if the next one cannot be sent. A run that its request has executed
 * has no message yet, so nobody would resume it: it ends.
 */
async function resumeOrEnd(execution: Execution, result: Result): Promise<Result> {
  const { run, log, onEvent } = execution;
  try {
    await arrangeResumption(execution, result);
    return result;
  } catch (error) {
    if (run.mode === 'queued') throw error;
    logRunError(log, 'run not queued', run, error);
    const status = await endRun(run, notQueued);
    const last = (await readEvents(run.run_id)).at(-1);
    if (last) onEvent?.(last);
    return status === notQueued.status ? notQueued : { status: 'lost' };
  }
}

/**
 * A run that is not over is resumed at once, at its time, or when somebody has answered or stored what it
 * needs.
 */
async function arrangeResumption({ run, lease }: Execution, result: Result): Promise<void> {
  switch (result.status) {
    case 'yielded':
      await releaseRun({ run_id: run.run_id }, lease);
      return await queueRun(run);
    case 'waiting':
    case 'input_required':
      await queueUntil(run, result.wakeAt);
      return await lookForEvents(run, result.awaiting);
    case 'auth_required':
      return await (await import('./wake-waiting.ts')).wakeIfStored(run, result.needs);
    case 'completed':
    case 'failed':
    case 'lost':
      return;
  }
}
