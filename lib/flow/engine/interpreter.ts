// Executes the nodes of a scope, one after the other: attempts, retries, pauses, `catch` and assignments. A
// node may open child scopes, which are executed in the same way.
import type { JsonObject } from '#lib/json/json.ts';
import { limits } from '../format/limits.ts';
import {
  asNodeError,
  caughtOutput,
  endsRun,
  locatedError,
  matchesAny,
  matchesRetry,
  NodeError,
} from '../format/node-error.ts';
import { type Attempt, attemptContext, createAttempt, createCatchAttempt, withinTime } from './attempt.ts';
import { CheckpointError } from './checkpoint.ts';
import {
  type ChildScope,
  completeChild,
  dropChild,
  endOfChild,
  failChild,
  leaveChild,
  openBlock,
  openFlow,
  prepareChild,
} from './child-scopes.ts';
import { endPause, keepPause } from './kept-pause.ts';
import { createLazyContext } from './lazy-context.ts';
import type {
  ChildScopes,
  CompiledNode,
  NodeContext,
  Paused,
  RunningScope,
  ScopeEnd,
  Step,
} from './node-context.ts';
import type { Pause, ResumeReason } from './pause.ts';
import { retryDelayMs } from './retry-delay.ts';
import { type Run, yields } from './run.ts';
import {
  logCompleted,
  logFailed,
  logPaused,
  logRedirected,
  logResumed,
  logRetry,
  logStarted,
} from './run-log.ts';
import {
  beginExecution,
  type Cursor,
  dropFailures,
  hasVisitLeft,
  keepMemory,
  type NodeExecution,
  type ScopeResult,
  storeResult,
} from './scope.ts';
import { ignore, sleep, untilStopped } from './stop.ts';
import { findWatch, toWatched } from './watched.ts';

/**
 * Executes node after node, with a snapshot after each. Returns undefined if the scope is paused or the
 * invocation is over.
 */
export async function executeScope(cursor: Cursor): Promise<ScopeResult | undefined> {
  const { run, stop } = cursor;
  while (!cursor.result) {
    const stopped = stop.error();
    if (stopped) throw stopped;
    if (yields(run)) return undefined;
    const isExecuted = await executeNode(cursor);
    if (!isExecuted) return undefined;
    const kept = cursor.result ? undefined : run.keepProgress();
    if (kept !== undefined) await untilStopped(stop, kept);
  }
  return cursor.result;
}

/** False when the node is paused. */
async function executeNode(cursor: Cursor): Promise<boolean> {
  const node = cursor.inProgress ? nodeAt(cursor) : findNext(cursor);
  const execution = cursor.inProgress ?? begin(cursor, node);
  const { clock } = cursor.run.ports;
  const startedAt = clock.monotonic();
  const watch = findWatch(cursor);
  if (watch) await watch.begins(toWatched(cursor, node, execution));
  try {
    const running = runUntilPaused(cursor, node, execution);
    const done = running instanceof Promise ? await running : running;
    if (!done) return false;
    const { step, attempt } = done;
    const next = step.ending ? undefined : (step.next ?? node.next);
    const stored = storeResult(cursor, { ...step, assign: node.assign, next }, attempt.at);
    const assigned = stored instanceof Promise ? await stored : stored;
    const duration_ms = Math.round(clock.monotonic() - startedAt);
    logCompleted(cursor, node, step, { duration_ms, ...attempt.trace });
    const output = step.ending?.response ?? step.output;
    watch?.ends(execution.key, { status: 'completed', output, assigned });
  } catch (thrown) {
    if (thrown instanceof CheckpointError) throw thrown;
    await catchError(cursor, node, execution, asNodeError(thrown));
  }
  return true;
}

/**
 * The node to execute next: the one at which the scope is or, while that has no visit left, the one to which
 * its `on_max_visits` leads. It takes no step. The check of flows refuses edges of this kind that lead in a
 * circle.
 */
function findNext(cursor: Cursor): CompiledNode {
  const node = nodeAt(cursor);
  if (node.onMaxVisits === undefined || hasVisitLeft(cursor, node)) return node;
  logRedirected(cursor, node, node.onMaxVisits);
  cursor.node = node.onMaxVisits;
  return findNext(cursor);
}

function nodeAt({ flow, node }: Cursor): CompiledNode {
  const found = flow.nodes.get(node);
  if (found) return found;
  throw new NodeError('internal', `The flow has no node "${node}".`);
}

function begin(cursor: Cursor, node: CompiledNode): NodeExecution {
  const execution = beginExecution(cursor, node);
  logStarted(cursor, node);
  return execution;
}

interface CompletedAttempt {
  readonly step: Step;
  readonly attempt: Attempt;
}

/**
 * Undefined when the node is paused, until its question has an answer or its time has come. Most nodes of most
 * flows only read paths: for them, there is no promise and none is awaited.
 */
function runUntilPaused(
  cursor: Cursor,
  node: CompiledNode,
  execution: NodeExecution,
): CompletedAttempt | Promise<CompletedAttempt | undefined> {
  if (execution.pause) return runWithPauses(cursor, node, execution);
  const attempted = runAttempts(cursor, node, execution);
  if (attempted instanceof Promise || 'pause' in attempted.result)
    return runWithPauses(cursor, node, execution, attempted);
  return { step: attempted.result, attempt: attempted.attempt };
}

/** `first` is the attempt with which it begins, if the node is not paused. */
async function runWithPauses(
  cursor: Cursor,
  node: CompiledNode,
  execution: NodeExecution,
  first?: Attempted | Promise<Attempted>,
): Promise<CompletedAttempt | undefined> {
  let attempted = first;
  for (;;) {
    if (execution.pause && !(await resume(cursor, node, execution))) return undefined;
    const { result, attempt } = await (attempted ?? runAttempts(cursor, node, execution));
    attempted = undefined;
    if (!('pause' in result)) return { step: result, attempt };
    const { pause, memory } = result;
    if (memory !== undefined) keepMemory(cursor, execution, memory);
    if (pause.kind === 'inside') return undefined;
    keepPause(cursor, execution, pause);
    logPaused(cursor, node, pause, execution.tasks);
  }
}

/** False while its question has no answer and its time has not come. */
async function resume(cursor: Cursor, node: CompiledNode, execution: NodeExecution): Promise<boolean> {
  const reason = await findResumeReason(cursor, execution);
  if (!reason) return false;
  const isRetry = execution.pause?.kind === 'until' && execution.pause.is_retry;
  const isEvent = execution.pause?.kind === 'event';
  endPause(cursor, execution, reason);
  // The time that has come is that of the engine: a node does not see it.
  if (isRetry) execution.resumeReason = undefined;
  logResumed(cursor, node, reason.answer && (isEvent ? 'an event' : 'an answer'));
  return true;
}

const due: ResumeReason = { isDue: true };

/**
 * An answer, an event, a time that has come, or a wait short enough to sleep through. Undefined when the node stays
 * paused.
 */
async function findResumeReason(
  { run, stop }: Cursor,
  { pause, key, tasks }: NodeExecution,
): Promise<ResumeReason | undefined> {
  if (pause?.kind === 'input') {
    const { answer } = run;
    if (answer?.id === (pause.id ?? key)) return { answer: { value: answer.value, message: answer.message } };
    return pause.expires_at !== undefined && msUntil(run, pause.expires_at) <= 0 ? due : undefined;
  }
  if (pause?.kind === 'event') {
    const sent = run.sentEvents.get(key);
    if (sent) return { answer: { value: sent.value } };
    return msUntil(run, pause.expires_at) <= 0 ? due : undefined;
  }
  if (pause?.kind !== 'until') return {};
  if (!pause.is_retry && takeNotification(run, tasks)) return due;
  const ms = msUntil(run, pause.at);
  if (ms <= 0) return due;
  const hasSlept = isPatient(run, ms) && (await run.activity.sleep(stop, ms));
  return hasSlept ? due : undefined;
}

/** Counts once: the task may still be in progress, and the node is paused again then. */
function takeNotification(run: Run, tasks: NodeExecution['tasks']): boolean {
  const { isNotified } = run;
  const isOfPause = isNotified !== undefined && [...tasks].some(({ task }) => isNotified(task));
  if (isOfPause) run.isNotified = undefined;
  return isOfPause;
}

const msUntil = (run: Run, time: string) => Date.parse(time) - run.ports.clock.now();

const isPatient = (run: Run, ms: number) =>
  ms <= run.patienceMs && run.ports.clock.monotonic() + ms < Math.min(run.yieldAt, run.startedAt + run.ms);

/** Follows the first `catch` that matches the error; without one the scope fails. */
async function catchError(
  cursor: Cursor,
  node: CompiledNode,
  execution: NodeExecution,
  error: NodeError,
): Promise<void> {
  const final = cursor.stop.error() ?? error;
  const catcher = endsRun(final.code) ? undefined : node.catch.find(({ on }) => matchesAny(final.code, on));
  logFailed(cursor, node, final, catcher !== undefined);
  const watch = findWatch(cursor);
  if (!catcher) {
    watch?.ends(execution.key, { status: 'failed', error: final });
    throw locatedError(final, node.id);
  }
  const { at } = createCatchAttempt(cursor, node, execution);
  const result = { output: caughtOutput(final), assign: catcher.assign, next: catcher.next };
  let assigned: JsonObject | undefined;
  try {
    assigned = await storeResult(cursor, result, at);
  } finally {
    watch?.ends(execution.key, { status: 'caught', error: final, assigned });
  }
}

interface Attempted {
  readonly result: Step | Paused;
  readonly attempt: Attempt;
}

function runAttempts(
  cursor: Cursor,
  node: CompiledNode,
  execution: NodeExecution,
): Attempted | Promise<Attempted> {
  if (node.retry) return runWithRetries(cursor, node, execution);
  const attempt = createAttempt(cursor, node, execution);
  const result = node.run(createContext(attempt));
  return result instanceof Promise ? closeAfter(result, attempt) : { result, attempt };
}

async function closeAfter(result: Promise<Step | Paused>, attempt: Attempt): Promise<Attempted> {
  try {
    return { result: await result, attempt };
  } finally {
    attempt.time.close();
  }
}

async function runWithRetries(
  cursor: Cursor,
  node: CompiledNode,
  execution: NodeExecution,
): Promise<Attempted> {
  const { max_attempts = 1, on = [] } = node.retry ?? {};
  for (;;) {
    const attempt = createAttempt(cursor, node, execution);
    try {
      return await closeAfter(runAsync(node, attempt), attempt);
    } catch (thrown) {
      const error = asNodeError(thrown);
      const isLast = execution.attempt >= max_attempts || thrown instanceof CheckpointError;
      if (isLast || !matchesRetry(error.code, on)) throw thrown;
      const pause = await waitForRetry(cursor, node, execution, error);
      startNextAttempt(cursor, execution);
      if (pause) return { result: { pause }, attempt };
    }
  }
}

/** A delay that is too long to sleep through, unless child scopes are open, is a pause of the run. */
async function waitForRetry(
  cursor: Cursor,
  node: CompiledNode,
  { attempt, key, children }: NodeExecution,
  error: NodeError,
): Promise<Pause | undefined> {
  const { run, stop } = cursor;
  const { clock } = run.ports;
  const now = clock.now();
  const failed = { attempt, retryAfter: error.retryAfter, execution: `${run.id}.${key}`, now };
  const delayMs = node.retry ? retryDelayMs(node.retry, failed) : 0;
  logRetry(cursor, node, { attempt, error, delayMs });
  const hasOpenScopes = children !== undefined && children.open.size + children.kept.size > 0;
  if (!hasOpenScopes && delayMs > Math.max(run.patienceMs, limits.retrySleepMs))
    return { kind: 'until', at: new Date(now + delayMs).toISOString(), is_retry: true };
  await sleep(stop, clock, delayMs);
  return undefined;
}

/** Rejects where the node throws. */
const runAsync = async (node: CompiledNode, attempt: Attempt) => await node.run(createContext(attempt));

/** Child scopes that completed keep their outputs; those that failed are repeated. */
function startNextAttempt(cursor: Cursor, execution: NodeExecution): void {
  execution.attempt++;
  dropFailures(cursor, execution);
  if (execution.children) execution.children = { ...execution.children, failed: {} };
}

const createContext = (attempt: Attempt): NodeContext =>
  createLazyContext(attempt.at, () => ({
    ...attemptContext(attempt),
    ...createChildScopes(attempt),
    within: async (limit, run) => {
      const limited = withinTime(attempt, limit);
      try {
        return await run(createContext(limited));
      } finally {
        limited.time.close();
      }
    },
  }));

function createChildScopes({ cursor, execution, time }: Attempt): ChildScopes {
  const parent = () => ({ cursor, execution, stop: time.stop() });
  return {
    enter: (name, entrance) => startChild(openBlock(parent(), name, entrance)),
    callFlow: (name, called) => startChild(openFlow(parent(), name, called)),
    ended: (name) => execution.children && endOfChild(execution.children, name),
    drop: (name) => execution.children && dropChild(cursor, execution.children, name),
  };
}

function startChild(child: ChildScope | ScopeEnd): RunningScope {
  if ('status' in child) return { end: Promise.resolve(child), cancel: ignore };
  const cancel = () => child.cursor.stop.end(new NodeError('canceled', 'Its result is not needed any more.'));
  return { end: executeChild(child), cancel };
}

/**
 * Settles when the child has ended or is paused. Rejects with what ends the node around it or the whole run.
 */
async function executeChild(child: ChildScope): Promise<ScopeEnd> {
  try {
    await prepareChild(child);
    const result = await executeScope(child.cursor);
    if (!result) return { status: child.cursor.run.hasYielded ? 'yielded' : 'paused' };
    return await completeChild(child, result);
  } catch (thrown) {
    return failChild(child, thrown);
  } finally {
    leaveChild(child);
  }
}
