// Executes the nodes of a scope, one after the other: attempts, retries, pauses, `catch` and assignments. A node may execute child scopes, so the
// functions here call one another: a scope executes nodes, and a node scopes.
import type { Json } from '#lib/json/json.ts';
import type { RenderAt } from '../expression/evaluation.ts';
import { limits } from '../format/limits.ts';
import { asNodeError, endsRun, locatedError, matchesAny, NodeError } from '../format/node-error.ts';
import { type Attempt, createAttempt, createFacts, createReplies, withinTime } from './attempt.ts';
import { takeStep } from './budget.ts';
import { createCalls } from './calls.ts';
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
import type {
  Assign,
  ChildScopes,
  CompiledNode,
  NodeContext,
  Paused,
  RunningScope,
  ScopeEnd,
  Step,
} from './node-context.ts';
import {
  createNotes,
  logCompleted,
  logFailed,
  logPaused,
  logResumed,
  logRetry,
  logStarted,
} from './node-log.ts';
import type { ResumeReason } from './pause.ts';
import { type Run, yields } from './run.ts';
import {
  beginExecution,
  type Cursor,
  endPause,
  keepMemory,
  keepPause,
  type NodeExecution,
  type ScopeResult,
  settle,
  showOutput,
  startNextAttempt,
} from './scope.ts';
import { ignore, sleep, untilStopped } from './stop.ts';

/** Executes node after node, with a snapshot after each. Undefined when the scope is paused or the invocation is over. */
export async function executeScope(cursor: Cursor): Promise<ScopeResult | undefined> {
  const { run, stop } = cursor;
  while (!cursor.result) {
    const stopped = stop.error();
    if (stopped) throw stopped;
    if (yields(run)) return undefined;
    const isExecuted = await executeNode(cursor);
    if (!isExecuted) return undefined;
    if (!cursor.result) await untilStopped(stop, run.keep());
  }
  return cursor.result;
}

/** False when the node is paused. */
async function executeNode(cursor: Cursor): Promise<boolean> {
  const node = nodeAt(cursor);
  const execution = cursor.inProgress ?? begin(cursor, node);
  const startedAt = cursor.run.ports.clock.monotonic();
  try {
    const done = execution.pause
      ? await resume(cursor, node, execution)
      : await runUntilPaused(cursor, node, execution);
    if (!done) return false;
    const { step, attempt } = done;
    showOutput(cursor, node.id, step.output);
    const changes = step.state ? Object.entries(step.state) : none;
    const assigned = node.assign ? await rendered(node.assign, attempt.at) : none;
    settle(
      cursor,
      { output: step.output, ending: step.ending },
      [...changes, ...assigned],
      step.ending ? undefined : (step.next ?? node.next),
    );
    logCompleted(cursor, node, step, attempt.trace, startedAt);
  } catch (thrown) {
    if (thrown instanceof CheckpointError) throw thrown;
    await catchError(cursor, node, execution, asNodeError(thrown));
  }
  return true;
}

function nodeAt({ flow, node }: Cursor): CompiledNode {
  const found = flow.nodes.get(node);
  if (found) return found;
  throw new NodeError('internal', `The flow has no node "${node}".`);
}

function begin(cursor: Cursor, node: CompiledNode): NodeExecution {
  const visit = (cursor.visits[node.id] ?? 0) + 1;
  // Checked before the step is counted: an execution that does not begin is not part of the worst case, which may be the limit of steps.
  if (node.maxVisits !== undefined && visit > node.maxVisits) {
    const message = `The run passed the limit of ${node.maxVisits} visits to "${node.id}".`;
    throw new NodeError('limit.visits', message, { nodeId: node.id });
  }
  try {
    takeStep(cursor.budget);
  } catch (thrown) {
    throw locatedError(asNodeError(thrown), node.id);
  }
  const execution = beginExecution(cursor, node.id, visit);
  logStarted(cursor, node);
  return execution;
}

interface Done {
  readonly step: Step;
  readonly attempt: Attempt;
}

/** Undefined while its time has not come and its question has no answer. */
async function resume(
  cursor: Cursor,
  node: CompiledNode,
  execution: NodeExecution,
): Promise<Done | undefined> {
  const reason = await resumeReason(cursor, execution);
  if (!reason) return undefined;
  endPause(cursor, execution, reason);
  logResumed(cursor, node, reason.answer !== undefined);
  return await runUntilPaused(cursor, node, execution);
}

const due: ResumeReason = { isDue: true };

/** An answer, a time that has come, or a wait short enough to be slept through. Undefined when the node stays paused. */
async function resumeReason(
  { run, stop }: Cursor,
  { pause, key }: NodeExecution,
): Promise<ResumeReason | undefined> {
  if (pause?.kind === 'input') {
    const { answer } = run;
    if (answer?.id === (pause.id ?? key)) return { answer: { value: answer.value } };
    return pause.expires_at !== undefined && msUntil(run, pause.expires_at) <= 0 ? due : undefined;
  }
  if (pause?.kind !== 'until') return {};
  const ms = msUntil(run, pause.at);
  if (ms <= 0) return due;
  const hasSlept = isPatient(run, ms) && (await run.activity.sleep(stop, ms));
  return hasSlept ? due : undefined;
}

const msUntil = (run: Run, time: string) => Date.parse(time) - run.ports.clock.now();

const isPatient = (run: Run, ms: number) =>
  ms <= run.patienceMs && run.ports.clock.monotonic() + ms < Math.min(run.yieldAt, run.startedAt + run.ms);

async function runUntilPaused(
  cursor: Cursor,
  node: CompiledNode,
  execution: NodeExecution,
): Promise<Done | undefined> {
  const { result, attempt } = await runAttempts(cursor, node, execution);
  if (!('pause' in result)) return { step: result, attempt };
  const { pause, memory } = result;
  if (memory !== undefined) keepMemory(cursor, execution, memory);
  if (pause.kind === 'inside') return undefined;
  keepPause(cursor, execution, pause);
  logPaused(cursor, node, pause);
  return await resume(cursor, node, execution);
}

type Changes = readonly (readonly [string, Json])[];

const none: Changes = [];

async function rendered(assignments: Assign, at: RenderAt): Promise<Changes> {
  const changes: [string, Json][] = [];
  for (const [name, render] of assignments) changes.push([name, await render(at)]);
  return changes;
}

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
  if (!catcher) throw locatedError(final, node.id);
  const output = { error: { code: final.code, message: final.message } };
  showOutput(cursor, node.id, output);
  const { at } = createAttempt(cursor, node, execution);
  settle(cursor, { output }, catcher.assign ? await rendered(catcher.assign, at) : none, catcher.next);
}

interface Attempted {
  readonly result: Step | Paused;
  readonly attempt: Attempt;
}

/** No promise where the node returns none: most nodes of most flows only compute paths. */
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
      if (isLast || !matchesAny(error.code, on)) throw thrown;
      const ms = delayMs(node, execution.attempt);
      logRetry(cursor, node, { attempt: execution.attempt, error, ms });
      await sleep(cursor.stop, cursor.run.ports.clock, ms);
      startNextAttempt(execution);
    }
  }
}

/** Rejects where the node throws. */
const runAsync = async (node: CompiledNode, attempt: Attempt) => await node.run(createContext(attempt));

/** Exponential and without jitter: a resumed run repeats what the first one did. */
function delayMs({ retry }: CompiledNode, attempt: number): number {
  const { delay_ms = 0, backoff = 2, max_delay_ms = limits.delayMsMax } = retry ?? {};
  return Math.round(Math.min(delay_ms * backoff ** (attempt - 1), max_delay_ms, limits.delayMsMax));
}

function createContext(attempt: Attempt): NodeContext {
  const { cursor, execution, time } = attempt;
  return {
    ...createFacts(attempt),
    ...createCalls(attempt),
    ...createReplies(attempt),
    ...createNotes(attempt),
    ...createChildScopes(attempt),
    remember: async (memory) => {
      await time.pace();
      keepMemory(cursor, execution, memory);
      await untilStopped(time.stop(), cursor.run.keep());
    },
    within: async (part, run) => {
      const limited = withinTime(attempt, part);
      try {
        return await run(createContext(limited));
      } finally {
        limited.time.close();
      }
    },
  };
}

function createChildScopes({ cursor, execution, time }: Attempt): ChildScopes {
  const parent = () => ({ cursor, execution, stop: time.stop() });
  return {
    enter: (name, entrance) => startChild(openBlock(parent(), name, entrance)),
    callFlow: (name, called) => startChild(openFlow(parent(), name, called)),
    ended: (name) => execution.children && endOfChild(execution.children, name),
    drop: (name) => execution.children && dropChild(execution.children, name),
  };
}

function startChild(child: ChildScope | ScopeEnd): RunningScope {
  if ('status' in child) return { end: Promise.resolve(child), cancel: ignore };
  const cancel = () => child.cursor.stop.end(new NodeError('canceled', 'Its result is not needed any more.'));
  return { end: executeChild(child), cancel };
}

/** Settles when the child has ended or is paused. Rejects with what ends the node around it or the whole run. */
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
