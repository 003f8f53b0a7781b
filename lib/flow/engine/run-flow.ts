// Runs a flow: starts or resumes it, and returns its outcome. Its only effects are calls of its ports.
import type { JsonObject } from '#lib/json/json.ts';
import { jsonBytes } from '#lib/json/size.ts';
import { computeFor } from '../expression/compute.ts';
import type { Scope } from '../expression/scope.ts';
import type { ConnectionDeclaration } from '../format/connection.ts';
import type { FlowLimits } from '../format/flow-limits.ts';
import { limits } from '../format/limits.ts';
import { asNodeError, NodeError } from '../format/node-error.ts';
import type { RemoteTask } from '../ports/agent.ts';
import { createActivity } from './activity.ts';
import { type Answer, checkAnswer } from './answer.ts';
import { createBudget, type Used } from './budget.ts';
import { CheckpointError, createKeeper, createThinnedKeeper } from './checkpoint.ts';
import { createHostQueue } from './host-queue.ts';
import { checkInput, checkResponse, type FlowInput, inputScope } from './input-output.ts';
import { executeScope } from './interpreter.ts';
import type { CompiledFlow } from './node-context.ts';
import type { Ending } from './output.ts';
import type { InputRequest, ReceivedEvent } from './pause.ts';
import type { Ports } from './ports.ts';
import { cancelTasks, listTasksOfRun, restoreTask } from './remote-tasks.ts';
import { elapsedMs, type Run } from './run.ts';
import { limitsInForce } from './run-limits.ts';
import { createLog, logReusedNode } from './run-log.ts';
import { type Cursor, countSizes, createCursor, createScopeCompute } from './scope.ts';
import {
  checkFit,
  findAwaitedEvents,
  findRequests,
  type ReusedExecutions,
  resumesAt,
  type Snapshot,
} from './snapshot.ts';
import { createRunStop } from './stop.ts';
import { runSnapshot } from './take-snapshot.ts';

export type { FlowInput } from './input-output.ts';

export interface RunOptions {
  readonly runId: string;
  readonly input: FlowInput;
  /** Variables of the build's environment; never secrets. */
  readonly env?: JsonObject;
  /**
   * When the run was first started, in ms since 1970, also for a run that is resumed. It is the current time
   * of its expressions.
   */
  readonly startedAt: number;
  /** Number of the turn in a conversation, from 1. */
  readonly turn?: number;
  /** Resumes from there. A snapshot fits only the flow that created it. */
  readonly snapshot?: Snapshot;
  /** An answer to a question of the snapshot, by default to the first. */
  readonly answer?: Answer;
  /** The events that were sent for the open waits of the snapshot (`findAwaitedEvents`). */
  readonly sentEvents?: readonly ReceivedEvent[];
  /** Finds a task of another agent in the snapshot that is read now, as the agent has notified of it. */
  readonly isNotified?: (task: RemoteTask) => boolean;
  /** Names of the flow's connections that have no credential. */
  readonly missingConnections?: readonly string[];
  /**
   * The flows and agents that called one another up to here, this flow last. None of them is called again.
   */
  readonly chain?: readonly string[];
  readonly ports: Ports;
  /** Limits of the caller, which can only lower the flow's. */
  readonly limits?: FlowLimits;
  /** Receives what the run has used, an object that changes while it uses more. */
  readonly onUsed?: (used: Readonly<Used>) => void;
  /**
   * Receives the tasks of other agents that have not ended when the invocation ends. A run that is resumed
   * waits for them; they are to be canceled if it is not.
   */
  readonly onTasks?: (tasks: readonly RemoteTask[]) => void;
  /** The maximum duration of this invocation in ms. */
  readonly timeoutMs?: number;
  readonly signal: AbortSignal;
  /** Value of `ports.clock.monotonic()` from which on the run yields instead of beginning another node. */
  readonly yieldAt?: number;
  /**
   * The longest wait in ms that is slept through while the run asks no question; a longer one ends the
   * invocation. Without it, every wait does.
   */
  readonly patienceMs?: number;
  /**
   * How long a task of another agent is waited for, in ms; after that the node pauses, and the task is read
   * when it resumes. Without it, the invocation waits until the task has ended.
   */
  readonly taskPatienceMs?: number;
}

interface Failure {
  readonly code: string;
  readonly message: string;
  readonly node_id?: string;
  /** For the operator's log only. */
  readonly cause?: unknown;
}

/** A declared connection that has no credential. */
export type ConnectionNeed = ConnectionDeclaration & { readonly connection: string };

export type Outcome =
  | ({ readonly status: 'completed' } & Ending)
  | { readonly status: 'failed'; readonly error: Failure }
  /** It was time to yield: resume from the snapshot at once. */
  | { readonly status: 'yielded'; readonly snapshot: Snapshot }
  /** Resume from the snapshot at that time (RFC 3339), not earlier. */
  | { readonly status: 'waiting'; readonly until: string; readonly snapshot: Snapshot }
  /** Resume from the snapshot with an answer; at `until`, if present, without one. */
  | {
      readonly status: 'input_required';
      readonly requests: readonly InputRequest[];
      readonly until?: string;
      readonly snapshot: Snapshot;
    }
  /** Nothing was executed. Start again once the connections are configured. */
  | { readonly status: 'auth_required'; readonly needs: readonly ConnectionNeed[] }
  /** Nothing was executed: the answer does not fit, and its question is still open in the snapshot. */
  | { readonly status: 'refused'; readonly error: { readonly code: string; readonly message: string } };

/**
 * A failed run is an outcome, not an exception. The promise rejects only if `ports.checkpoint` does, because
 * the run then belongs to another worker. Nothing is logged, sent or stored after the promise has settled.
 */
export async function runFlow(flow: CompiledFlow, options: RunOptions): Promise<Outcome> {
  const answer =
    options.answer && (await checkAnswer(options.answer, options.snapshot, computeWithin(options)));
  if (answer && 'refusal' in answer) return { status: 'refused', error: answer.refusal };
  const needs = findMissingConnections(flow, options.missingConnections ?? []);
  if (needs.length > 0) return { status: 'auth_required', needs };
  const opened = open(flow, options, answer?.accepted ?? options.snapshot?.answer);
  options.onUsed?.(opened.root.budget.used);
  try {
    return await execute(opened, options);
  } finally {
    options.onTasks?.(listTasksOfRun(opened.root));
    opened.run.stop.close();
  }
}

/** For the check of an answer, before there is a run whose stop would end the evaluation. */
const computeWithin = ({ ports, signal }: RunOptions) => computeFor(ports, (evaluate) => evaluate(signal));

const findMissingConnections = (
  { connections }: CompiledFlow,
  missing: readonly string[],
): readonly ConnectionNeed[] =>
  Object.entries(connections)
    .filter(([name]) => missing.includes(name))
    .map(([connection, declared]) => ({ connection, ...declared }));

interface OpenedRun {
  readonly run: Run;
  readonly root: Cursor;
}

async function execute({ run, root }: OpenedRun, options: RunOptions): Promise<Outcome> {
  try {
    await Promise.all(root.flow.modules.map((module) => module.load()));
    if (options.snapshot) checkFit(root.flow, options.snapshot);
    if (!options.snapshot || options.snapshot.reused) await begin(run, root);
    if (options.snapshot?.reused) logReused(root, options.snapshot.reused);
    countSizes(root);
    cancelTasks(run.dropped, [...run.dropped], run.ports.cancelTask);
    const result = await executeScope(root);
    if (!result && run.dropped.size > 0) await run.keep();
    if (!result) return paused(run, root);
    return await completed(run, root, result.ending ?? { response: root.scope.state });
  } catch (error) {
    if (error instanceof CheckpointError) throw error.cause;
    return failed(run, asNodeError(error), root.node);
  }
}

async function begin(run: Run, root: Cursor): Promise<void> {
  const { flow, scope, chain, budget } = root;
  run.log.run({
    level: 'info',
    event: 'run_started',
    status: 'running',
    message: `The flow "${flow.name}" starts.`,
  });
  await checkInput(flow, scope.input, createScopeCompute(root));
  if (chain.length > new Set(chain).size)
    throw new NodeError('flow.cycle', `The flow is being run already: ${chain.join(' → ')}.`);
  if (chain.length > budget.limits.depth) {
    const message = `Flows and agents call one another too deeply: expected at most ${budget.limits.depth} levels.`;
    throw new NodeError('limit.depth', message);
  }
}

/** What a fork does not execute again is in its log, as its path and its picture follow from that. */
function logReused(root: Cursor, { run, executions }: ReusedExecutions): void {
  for (const { node: id, failed: isFailed } of executions) {
    const node = root.flow.nodes.get(id);
    if (!node) throw new NodeError('internal', `The flow has no node "${id}".`);
    logReusedNode(root, node, { run, isFailed: isFailed === true });
  }
}

/** The outcome when no scope can continue in this invocation. */
function paused(run: Run, root: Cursor): Outcome {
  const snapshot = runSnapshot(root);
  if (run.hasYielded) return { status: 'yielded', snapshot };
  const requests = findRequests(snapshot);
  const until = resumesAt(snapshot);
  checkAwaitedEvents(findAwaitedEvents(snapshot).length);
  if (requests.length > 0) {
    checkQuestions(requests);
    return { status: 'input_required', requests, ...(until !== undefined && { until }), snapshot };
  }
  if (until !== undefined) return { status: 'waiting', until, snapshot };
  throw new NodeError('internal', 'The run is paused and waits for nothing.');
}

function checkAwaitedEvents(count: number): void {
  const max = limits.awaitedEventsMax;
  if (count > max)
    throw new NodeError(
      'limit.events',
      `The run passed the limit of ${max} waits for events at the same time.`,
    );
}

function checkQuestions(requests: readonly InputRequest[]): void {
  const max = limits.questionsBytes;
  if (jsonBytes([...requests], max) <= max) return;
  throw new NodeError('limit.questions', `The open questions of the run passed their limit of ${max} bytes.`);
}

async function completed(run: Run, root: Cursor, ending: Ending): Promise<Outcome> {
  await checkResponse(root.flow, ending.response, createScopeCompute(root));
  const { steps } = root.budget.used;
  run.log.last({
    level: 'info',
    event: 'run_completed',
    status: 'completed',
    message: `The run completed after ${steps} ${steps === 1 ? 'step' : 'steps'}.`,
    duration_ms: Math.round(elapsedMs(run)),
  });
  return { status: 'completed', ...ending };
}

function failed(run: Run, { code, message, cause, nodeId }: NodeError, lastNode: string): Outcome {
  run.log.last({
    level: 'error',
    event: 'run_failed',
    status: 'failed',
    message: `The run failed with ${code}: ${message}`,
    duration_ms: Math.round(elapsedMs(run)),
  });
  const isOutside = nodeId === undefined && /^(input|output|snapshot)\./.test(code);
  const node_id = isOutside || code === 'canceled' ? undefined : (nodeId ?? lastNode);
  return {
    status: 'failed',
    error: {
      code,
      message,
      ...(node_id !== undefined && { node_id }),
      ...(cause !== undefined && { cause }),
    },
  };
}

function open(flow: CompiledFlow, options: RunOptions, answer: Run['answer']): OpenedRun {
  const { ports, snapshot, startedAt } = options;
  const elapsedBefore = snapshot?.elapsedMs ?? 0;
  const { ms, ...bounds } = limitsInForce(flow.limits, options.limits ?? {}, {
    elapsedMs: elapsedBefore,
    timeoutMs: options.timeoutMs,
  });
  const run: Run = {
    id: options.runId,
    ports,
    stop: createRunStop(ports.clock, ms, options.signal),
    log: createLog(ports, snapshot?.logSeq ?? 0),
    startedAt: ports.clock.monotonic(),
    elapsedBefore,
    ms,
    yieldAt: options.yieldAt ?? Number.POSITIVE_INFINITY,
    patienceMs: options.patienceMs ?? 0,
    taskPatienceMs: options.taskPatienceMs ?? Number.POSITIVE_INFINITY,
    hosts: createHostQueue(),
    activity: createActivity(ports.clock, () => isListening(runSnapshot(root))),
    asked: { ...snapshot?.asked },
    answer,
    sentEvents: new Map((options.sentEvents ?? []).map((event) => [event.id, event])),
    received: snapshot?.received,
    isNotified: options.isNotified,
    keep: () => keep(),
    keepProgress: () => keepProgress(),
    hasYielded: false,
    dropped: new Set(),
    bytes: 0,
    results: 0,
  };
  const { steps = 0, modelCalls = 0, tokens = 0 } = snapshot ?? {};
  const budget = createBudget(bounds, { steps, modelCalls, tokens });
  const root = createCursor(
    {
      run,
      ports,
      flow,
      budget,
      stop: run.stop,
      chain: options.chain ?? [],
      scope: initialScope(flow, options),
      arrivedAt: startedAt,
      path: '',
      start: flow.start,
      isStreamed: true,
      isQuiet: false,
      contexts: {},
      isCall: false,
    },
    snapshot,
  );
  for (const task of snapshot?.dropped ?? []) run.dropped.add(restoreTask(task, budget));
  const keep = createKeeper(toCheckpoint(run), () => runSnapshot(root));
  const keepProgress = createThinnedKeeper(keep, () => run.results);
  return { run, root };
}

/** What expressions see before the first node. */
function initialScope(flow: CompiledFlow, options: RunOptions): Scope {
  const started_at = new Date(options.startedAt).toISOString();
  return {
    input: inputScope(options.input),
    state: flow.state,
    env: options.env ?? {},
    nodes: {},
    run: { id: options.runId, started_at, turn: options.turn ?? 1 },
  };
}

/** Whether anything but time can resume it. */
const isListening = (snapshot: Snapshot): boolean =>
  findRequests(snapshot).length > 0 || findAwaitedEvents(snapshot).length > 0;

const toCheckpoint =
  ({ ports, dropped }: Run): Ports['checkpoint'] =>
  async (snapshot) => {
    const tasks = [...dropped];
    await ports.checkpoint(snapshot);
    cancelTasks(dropped, tasks, ports.cancelTask);
  };
