// Runs a flow: one cursor from node to node, a snapshot after each. Touches the outside world through its ports only.
import type { JsonObject } from '#lib/json.ts';
import { type CompiledFlow, compileFlow, isCompiled } from './compile.ts';
import type { Flow, FlowLimits } from './flow.ts';
import { checkInput, checkResponse } from './input-output.ts';
import { asNodeError, type NodeError } from './node-error.ts';
import type { Ports, Snapshot } from './ports.ts';
import { countSizes, elapsedMs, type Run, snapshotOf } from './run.ts';
import { limitsInForce } from './run-limits.ts';
import { createLog } from './run-log.ts';
import { createStop, untilStopped } from './stop.ts';
import { visit } from './visit.ts';

/** What starts a run, as expressions see it under `input`. */
export interface FlowInput {
  readonly message: string;
  readonly user_variables: JsonObject;
  readonly event?: WebhookEvent;
  readonly a2a?: JsonObject;
}

interface WebhookEvent {
  readonly event?: string | undefined;
  readonly data?: JsonObject | undefined;
}

export interface RunOptions {
  readonly runId: string;
  readonly input: FlowInput;
  /** Values of the build's environment; never secrets. */
  readonly env?: JsonObject;
  /** Ms since 1970 of the run's first start, also when it is resumed: the clock of its expressions stands there. */
  readonly startedAt: number;
  /** Number of the turn in a conversation, from 1. */
  readonly turn?: number;
  /** Goes on from there. A snapshot fits the flow that made it, and no other. */
  readonly snapshot?: Snapshot;
  readonly ports: Ports;
  /** Can only lower the flow's own. */
  readonly limits?: FlowLimits;
  /** Ms this invocation may take at most. */
  readonly timeoutMs?: number;
  readonly signal: AbortSignal;
  /** Value of `ports.clock.monotonic()` from which the run hands itself on instead of entering another node. */
  readonly yieldAt?: number;
}

interface Failure {
  readonly code: string;
  readonly message: string;
  readonly node_id?: string;
  /** For the operator's log only. */
  readonly cause?: unknown;
}

export type Outcome =
  | { readonly status: 'completed'; readonly response: JsonObject }
  | { readonly status: 'failed'; readonly error: Failure }
  | { readonly status: 'yielded'; readonly snapshot: Snapshot };

/**
 * A failed run is an outcome, not an exception: the promise rejects only with what `ports.checkpoint` rejected with, because the run is then
 * no longer ours. Nothing is logged, replied or saved after the promise has settled, whatever the ports do.
 */
export async function runFlow(flow: Flow | CompiledFlow, options: RunOptions): Promise<Outcome> {
  const run = createRun(isCompiled(flow) ? flow : compileFlow(flow), options);
  try {
    return await settled(run, options);
  } finally {
    run.stop.close();
  }
}

/** What is thrown by the port that keeps snapshots, so that it is not taken for a node's error. */
class CheckpointError extends Error {}

async function settled(run: Run, options: RunOptions): Promise<Outcome> {
  const cursor = { node: options.snapshot?.next ?? run.flow.start };
  try {
    if (!options.snapshot) await begin(run);
    countSizes(run);
    return await walk(run, cursor, options.yieldAt);
  } catch (error) {
    if (error instanceof CheckpointError) throw error.cause;
    return failed(run, asNodeError(error), cursor.node);
  }
}

async function begin(run: Run): Promise<void> {
  run.log.run({
    level: 'info',
    event: 'run_started',
    status: 'running',
    message: `The flow "${run.flow.name}" starts.`,
  });
  await checkInput(run.flow, run.scope.input);
}

async function walk(
  run: Run,
  cursor: { node: string },
  yieldAt = Number.POSITIVE_INFINITY,
): Promise<Outcome> {
  for (;;) {
    const stopped = run.stop.error();
    if (stopped) throw stopped;
    if (run.ports.clock.monotonic() >= yieldAt)
      return { status: 'yielded', snapshot: snapshotOf(run, cursor.node) };
    const { next, response } = await visit(run, cursor.node);
    if (next === undefined) return await completed(run, response ?? run.scope.state);
    await checkpoint(run, next);
    cursor.node = next;
  }
}

async function checkpoint(run: Run, next: string): Promise<void> {
  const kept = run.ports.checkpoint(snapshotOf(run, next)).catch((cause: unknown) => {
    throw new CheckpointError('The snapshot was not kept.', { cause });
  });
  await untilStopped(run.stop, kept);
}

async function completed(run: Run, response: JsonObject): Promise<Outcome> {
  await checkResponse(run.flow, response);
  run.log.last({
    level: 'info',
    event: 'run_completed',
    status: 'completed',
    message: `The run completed after ${run.steps} ${run.steps === 1 ? 'step' : 'steps'}.`,
    duration_ms: Math.round(elapsedMs(run)),
  });
  return { status: 'completed', response };
}

function failed(run: Run, { code, message, cause }: NodeError, nodeId: string): Outcome {
  run.log.last({
    level: 'error',
    event: 'run_failed',
    status: 'failed',
    message: `The run failed with ${code}: ${message}`,
    duration_ms: Math.round(elapsedMs(run)),
  });
  const isOutside = code.startsWith('input.') || code.startsWith('output.') || code === 'canceled';
  return {
    status: 'failed',
    error: { code, message, ...(!isOutside && { node_id: nodeId }), ...(cause !== undefined && { cause }) },
  };
}

function createRun(flow: CompiledFlow, options: RunOptions): Run {
  const { ports, snapshot } = options;
  const elapsedBefore = snapshot?.elapsedMs ?? 0;
  const limits = limitsInForce(flow.limits, options.limits ?? {}, {
    elapsedMs: elapsedBefore,
    timeoutMs: options.timeoutMs,
  });
  return {
    id: options.runId,
    flow,
    ports,
    limits,
    stop: createStop(ports.clock, limits.ms, options.signal),
    log: createLog(ports, snapshot?.logSeq ?? 0),
    scope: {
      input: inputScope(options.input),
      state: snapshot?.state ?? flow.state,
      env: options.env ?? {},
      nodes: { ...snapshot?.nodes },
      run: {
        id: options.runId,
        started_at: new Date(options.startedAt).toISOString(),
        turn: options.turn ?? 1,
      },
    },
    startedAt: ports.clock.monotonic(),
    elapsedBefore,
    visits: { ...snapshot?.visits },
    sizes: new Map(),
    steps: snapshot?.steps ?? 0,
    modelCalls: snapshot?.modelCalls ?? 0,
    tokens: snapshot?.tokens ?? 0,
    bytes: 0,
  };
}

function inputScope({ message, user_variables, event, a2a }: FlowInput): JsonObject {
  const { event: name, data } = event ?? {};
  const received = { ...(name !== undefined && { event: name }), ...(data && { data }) };
  return { message, user_variables, ...(event && { event: received }), ...(a2a && { a2a }) };
}
