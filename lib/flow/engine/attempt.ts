// One attempt of one node: its time, the facts that the node may read, and what it may send to the caller of the run.
import { type Compute, computeFor } from '../expression/compute.ts';
import type { RenderAt } from '../expression/evaluation.ts';
import { limits } from '../format/limits.ts';
import { NodeError } from '../format/node-error.ts';
import type { NodeCall } from '../ports/node-call.ts';
import { leftOf } from './budget.ts';
import { createCallerText } from './caller-text.ts';
import type { CompiledNode, ExecutionFacts, Replies, TimedPart } from './node-context.ts';
import type { Ports } from './ports.ts';
import { msLeft, yields } from './run.ts';
import type { Cursor, NodeExecution } from './scope.ts';
import { createStop, ignore, type Stop } from './stop.ts';

export interface Attempt {
  readonly cursor: Cursor;
  readonly node: CompiledNode;
  readonly execution: NodeExecution;
  readonly time: AttemptTime;
  /** What its templates see, and when they have to stop. */
  readonly at: RenderAt;
  /** What the attempt did, for its log entry. */
  readonly trace: Trace;
}

/** What an attempt did, for its log entry. */
export interface Trace {
  tokens?: { input: number; output: number };
  http?: { host: string; status: number };
}

export function createAttempt(cursor: Cursor, node: CompiledNode, execution: NodeExecution): Attempt {
  const time = createTime(cursor, node, execution);
  return { cursor, node, execution, time, at: renderAt(cursor, execution, time), trace: {} };
}

/** A part of the attempt, with less time. */
export function withinTime(attempt: Attempt, part: TimedPart): Attempt {
  const time = attempt.time.within(part);
  return { ...attempt, time, at: renderAt(attempt.cursor, attempt.execution, time) };
}

function renderAt(
  { scope, run }: Cursor,
  { resumeReason }: NodeExecution,
  { pace, compute }: AttemptTime,
): RenderAt {
  const answer = resumeReason?.answer;
  const { cpuMs } = run.ports.clock;
  return { scope: answer ? { ...scope, answer: answer.value } : scope, pace, cpuMs, compute, made: 0 };
}

export function createFacts({ cursor, node, execution, at }: Attempt): ExecutionFacts {
  const { run, chain, budget } = cursor;
  const { answer, isDue = false } = execution.resumeReason ?? {};
  return {
    nodeId: node.id,
    key: execution.key,
    idempotencyKey: `${run.id}.${execution.key}`,
    at,
    memory: execution.memory,
    answer,
    isDue,
    chain,
    isOver: () => yields(run),
    now: run.ports.clock.now,
    left: () => ({
      ...leftOf(budget),
      depth: Math.max(0, budget.limits.depth - chain.length),
      ms: msLeft(run),
    }),
  };
}

export function createReplies({ cursor, node, execution: { key } }: Attempt): Replies {
  const { reply, text: send } = cursor.run.ports;
  return {
    reply: (content) => reply({ node_id: node.id, ...content }, key),
    callerText: () => {
      if (!send || !cursor.isStreamed) return undefined;
      return createCallerText((text, chunk) => send({ node_id: node.id, key, text, chunk }));
    },
  };
}

export interface AttemptTime {
  /** Before slow work: throws when time is up, and lets timers run now and then. */
  readonly pace: () => Promise<void> | undefined;
  /** Stops with the scope and at the node's own limit. Made when it is first needed, because most nodes never wait. */
  readonly stop: () => Stop;
  /** Ends with the port, the node's time or the scope, whichever is first; the port's signal aborts at the two latter. */
  readonly calling: <T>(port: (call: NodeCall) => Promise<T>) => Promise<T>;
  /** Evaluations elsewhere, within the same time. */
  readonly compute: Compute | undefined;
  /** A shorter time for a part of the attempt, which ends with this one at the latest. */
  readonly within: (part: { readonly what: string; readonly seconds: number }) => AttemptTime;
  readonly close: () => void;
}

function createTime({ run, stop }: Cursor, node: CompiledNode, execution: NodeExecution): AttemptTime {
  const seconds = node.timeoutSeconds ?? (node.isLong ? Number.POSITIVE_INFINITY : limits.nodeSecondsDefault);
  const { visit, attempt } = execution;
  const caller = { runId: run.id, nodeId: node.id, visit, attempt };
  return createTimeWithin(stop, { what: 'node', seconds, ports: run.ports, caller });
}

interface Span {
  /** What the error says has passed its time limit. */
  readonly what: string;
  readonly seconds: number;
  readonly ports: Ports;
  readonly caller: Omit<NodeCall, 'signal'>;
}

function createTimeWithin(outer: Stop, span: Span): AttemptTime {
  const { what, seconds, ports, caller } = span;
  const { clock } = ports;
  const startedAt = clock.monotonic();
  const endsAt = startedAt + seconds * 1000;
  const timeUp = () => new NodeError('timeout', `The ${what} passed its time limit of ${seconds} s.`);
  let pausedAt = startedAt;
  let own: Stop | undefined;

  const pace = (): Promise<void> | undefined => {
    const stopped = outer.error();
    if (stopped) throw stopped;
    const now = clock.monotonic();
    if (now >= endsAt) throw timeUp();
    if (now - pausedAt < computeMsMax) return undefined;
    pausedAt = now;
    return clock.sleep(0, neverAborted);
  };

  const ownStop = () => {
    own ??= createStop(outer, { clock, ms: endsAt - clock.monotonic(), error: timeUp });
    return own;
  };

  const calling = async <T>(port: (call: NodeCall) => Promise<T>): Promise<T> => {
    await pace();
    const controller = new AbortController();
    const ended = Promise.withResolvers<never>();
    // Avoids an unhandled rejection when the port throws at once.
    ended.promise.catch(ignore);
    const unsubscribe = ownStop().onStop((error) => {
      ended.reject(error);
      controller.abort(error);
    });
    try {
      const { signal } = controller;
      const compute = computeFor(ports, (evaluate) => evaluate(signal));
      return await Promise.race([port({ ...caller, signal, ...(compute && { compute }) }), ended.promise]);
    } finally {
      unsubscribe();
    }
  };

  const within = (part: Pick<Span, 'what' | 'seconds'>) => createTimeWithin(ownStop(), { ...span, ...part });

  const compute = computeFor(ports, (evaluate) => calling(({ signal }) => evaluate(signal)));

  return { pace, stop: ownStop, calling, compute, within, close: () => own?.close() };
}

/** How long expressions may compute before timers get a turn, so that a cancellation and the caller's heartbeat are not held up. */
const computeMsMax = 25;

const neverAborted = new AbortController().signal;
