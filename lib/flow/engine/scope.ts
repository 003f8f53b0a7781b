// The state of one scope of a run: its cursor, the outputs and variables that its nodes see, and the size of all
// that a snapshot of it holds. The run has a root scope; each block of a node and each called flow has its own.
import type { Json, JsonObject } from '#lib/json/json.ts';
import { jsonBytes } from '#lib/json/size.ts';
import { type Compute, computeFor } from '../expression/compute.ts';
import type { RenderAt } from '../expression/evaluation.ts';
import type { Scope } from '../expression/scope.ts';
import { limits } from '../format/limits.ts';
import { asNodeError, locatedError, NodeError } from '../format/node-error.ts';
import { type Budget, takeStep } from './budget.ts';
import type { Assign, CompiledFlow, CompiledNode, Step } from './node-context.ts';
import type { Ending } from './output.ts';
import type { Pause, ResumeReason } from './pause.ts';
import type { Ports } from './ports.ts';
import { elapsedMs, type Run } from './run.ts';
import {
  type EnteredSnapshot,
  executionKey,
  type InnerFailure,
  questionId,
  type ScopeSnapshot,
  type Snapshot,
  snapshotVersion,
} from './snapshot.ts';
import { type Stop, signalled } from './stop.ts';
import { sizeProblem } from './value-size.ts';

export interface Cursor {
  readonly run: Run;
  /** Those of the run, with the ways out of a called flow. */
  readonly ports: Ports;
  readonly flow: CompiledFlow;
  readonly budget: Budget;
  readonly stop: Stop;
  /** Flows and agents that led here, this flow last. */
  readonly chain: readonly string[];
  /** What the keys of its executions begin with: nothing at the root, `each.1.0.` in a map. */
  readonly path: string;
  /** Whether what its nodes stream is for the caller of the run: not in a flow that was called for its response alone. */
  readonly isStreamed: boolean;
  /** Values are never changed once they are here: `state` is replaced, `nodes` only gets more entries. */
  readonly scope: Scope & { state: JsonObject; readonly nodes: Record<string, Json> };
  /** What its own nodes gave, as far as it is settled; at the root, where nothing runs beside, the same object as `scope.nodes`. */
  readonly outputs: Record<string, Json>;
  /** State of the scope around it, from which it began. */
  readonly outerState: JsonObject | undefined;
  /** In a called flow: ms it had run before this invocation, and when it was resumed. */
  readonly call: { readonly elapsedBefore: number; readonly startedAt: number } | undefined;
  readonly visits: Record<string, number>;
  readonly sizes: Map<string, number>;
  /** How many child scopes of its node are active. */
  activeChildren: number;
  /** Where the cursor stands. */
  node: string;
  /** The execution of that node, once it has begun. */
  inProgress: NodeExecution | undefined;
  /** The scope has come to its end. */
  result: ScopeResult | undefined;
}

/** Evaluations elsewhere that belong to the scope and to no node of it. */
export const computeOf = ({ run, stop }: Cursor): Compute | undefined =>
  computeFor(run.ports, (evaluate) => signalled(stop, evaluate));

/** One execution of a node: from the moment the cursor reaches it until it leads on, over all its attempts and pauses. */
export interface NodeExecution {
  readonly visit: number;
  readonly key: string;
  attempt: number;
  memory: Json | undefined;
  pause: Pause | undefined;
  /** Why it runs again after a pause, until it pauses anew or remembers what came of it. */
  resumeReason: ResumeReason | undefined;
  children: ChildScopesOfNode | undefined;
}

/** How a scope that has come to its end did so. */
export interface ScopeResult {
  /** The output of its last node. */
  readonly output: Json;
  /** The ending that an `end` node gave. */
  readonly ending?: Ending | undefined;
}

/** Child scopes of a node, by name. */
export interface ChildScopesOfNode {
  readonly done: Record<string, Json>;
  readonly failed: Record<string, InnerFailure>;
  readonly open: Map<string, Cursor>;
  /** From a snapshot, not entered again yet. */
  readonly kept: Map<string, ScopeSnapshot>;
}

export const noChildren = (): ChildScopesOfNode => ({
  done: {},
  failed: {},
  open: new Map(),
  kept: new Map(),
});

function executionFrom(snapshot: EnteredSnapshot, visit: number, key: string): NodeExecution {
  const { attempt = 1, memory, pause, woken: resumeReason, done, failed, open } = snapshot;
  const children = (done || failed || open) && {
    done: { ...done },
    failed: { ...failed },
    open: new Map(),
    kept: new Map(Object.entries(open ?? {})),
  };
  return { visit, key, attempt, memory, pause, resumeReason, children };
}

type Inherited = 'run' | 'ports' | 'flow' | 'budget' | 'stop' | 'chain' | 'path' | 'isStreamed';

interface CursorParts extends Pick<Cursor, Inherited> {
  readonly start: string;
  /** What the scope sees of the one around it; for the root and a called flow, what it begins with. */
  readonly scope: Scope;
  readonly isCall: boolean;
}

/** A scope at its beginning or, with its snapshot, where it stood. */
export function createCursor({ start, scope, isCall, ...parts }: CursorParts, kept?: ScopeSnapshot): Cursor {
  const { next = start, visits = {}, state = scope.state, entered } = kept ?? {};
  const outputs = { ...kept?.nodes };
  const isRoot = parts.path === '';
  const isInside = !isRoot && !isCall;
  const key = executionKey(parts.path, next, visits[next] ?? 0);
  return {
    ...parts,
    scope: { ...scope, state, nodes: isRoot ? outputs : { ...scope.nodes, ...outputs } },
    outputs,
    outerState: isInside ? scope.state : undefined,
    call: isCall
      ? { elapsedBefore: kept?.used?.elapsedMs ?? 0, startedAt: parts.run.ports.clock.monotonic() }
      : undefined,
    visits: { ...visits },
    sizes: new Map(),
    activeChildren: 0,
    node: next,
    inProgress: entered && executionFrom(entered, visits[next] ?? 0, key),
    result: kept?.over && { output: outputs[next] ?? null, ending: kept.over.ending },
  };
}

/** Throws `limit.visits` or `limit.steps`. */
export function beginExecution(cursor: Cursor, { id, maxVisits }: CompiledNode): NodeExecution {
  const visit = (cursor.visits[id] ?? 0) + 1;
  // Checked before the step is counted: an execution that does not begin is not part of the worst case, which may
  // be the limit of steps.
  if (maxVisits !== undefined && visit > maxVisits) {
    const message = `The run passed the limit of ${maxVisits} visits to "${id}".`;
    throw new NodeError('limit.visits', message, { nodeId: id });
  }
  try {
    takeStep(cursor.budget);
  } catch (thrown) {
    throw locatedError(asNodeError(thrown), id);
  }
  cursor.visits[id] = visit;
  cursor.inProgress = {
    visit,
    key: executionKey(cursor.path, id, visit),
    attempt: 1,
    memory: undefined,
    pause: undefined,
    resumeReason: undefined,
    children: undefined,
  };
  return cursor.inProgress;
}

/** What an execution leads to: its step, the assignments of its node, and the next node, if the scope has one. */
type Result = Pick<Step, 'output' | 'state' | 'ending'> & {
  readonly assign: Assign | undefined;
  readonly next: string | undefined;
};

/**
 * Stores the result of an execution. Its output is visible at once, because the assignments may read it; all the rest
 * is stored in one step, so that no snapshot, which a scope beside this one may take at any time, holds half of it.
 * Throws `value.too_large`, which the node may catch, or `limit.snapshot`.
 */
export async function storeResult(cursor: Cursor, result: Result, at: RenderAt): Promise<void> {
  const { output, state, ending, assign = [], next } = result;
  keepSize(cursor, `nodes.${cursor.node}`, output);
  cursor.scope.nodes[cursor.node] = output;
  const changes = state ? Object.entries(state) : [];
  for (const [name, render] of assign) changes.push([name, await render(at)]);
  for (const [name, value] of changes) keepSize(cursor, `state.${name}`, value);
  if (changes.length > 0) cursor.scope.state = { ...cursor.scope.state, ...Object.fromEntries(changes) };
  cursor.outputs[cursor.node] = output;
  endExecution(cursor);
  if (next === undefined) cursor.result = { output, ending };
  else cursor.node = next;
}

export function keepPause(cursor: Cursor, execution: NodeExecution, pause: Pause): void {
  const kept = pause.kind === 'input' ? numbered(cursor.run, execution.key, pause) : pause;
  keepSize(cursor, 'pause', kept);
  execution.pause = kept;
  execution.resumeReason = undefined;
}

/** An answer to an earlier question of the execution must not be taken as an answer to this one. */
function numbered({ asked }: Run, key: string, pause: Extract<Pause, { kind: 'input' }>): Pause {
  const count = (asked[key] ?? 0) + 1;
  asked[key] = count;
  return count === 1 ? pause : { ...pause, id: questionId(key, count) };
}

/** The answer passes from the run to the execution at once: a scope beside this one may take a snapshot at any time. */
export function endPause(cursor: Cursor, execution: NodeExecution, reason: ResumeReason): void {
  if (reason.answer) cursor.run.answer = undefined;
  drop(cursor, 'pause');
  execution.pause = undefined;
  execution.resumeReason = reason;
}

export function keepMemory(cursor: Cursor, execution: NodeExecution, memory: Json): void {
  keepSize(cursor, 'memory', memory, limits.memoryBytes);
  execution.memory = memory;
  execution.resumeReason = undefined;
}

/** The output of a child scope of the cursor's node. */
export function keepChildOutput(
  cursor: Cursor,
  children: ChildScopesOfNode,
  name: string,
  output: Json,
): void {
  keepSize(cursor, `inner.${name}`, output);
  children.done[name] = output;
}

/** Drops what the node and its child scopes have kept. */
function endExecution(cursor: Cursor): void {
  const { inProgress } = cursor;
  cursor.inProgress = undefined;
  if (!inProgress || (inProgress.memory === undefined && !inProgress.children)) return;
  drop(cursor, 'memory');
  if (!inProgress.children) return;
  for (const name of Object.keys(inProgress.children.done)) drop(cursor, `inner.${name}`);
  for (const child of inProgress.children.open.values()) forget(child);
}

/** The scope has ended: its values no longer count. */
export function forget(cursor: Cursor): void {
  for (const bytes of cursor.sizes.values()) cursor.run.bytes -= bytes;
  cursor.sizes.clear();
  for (const child of cursor.inProgress?.children?.open.values() ?? []) forget(child);
}

/** What earlier invocations kept counts as well. */
export function countSizes(cursor: Cursor): void {
  const { outputs, scope, outerState, inProgress } = cursor;
  for (const [id, value] of Object.entries(outputs)) keepSize(cursor, `nodes.${id}`, value);
  if (scope.state !== outerState)
    for (const [name, value] of Object.entries(scope.state)) keepSize(cursor, `state.${name}`, value);
  if (inProgress?.pause) keepSize(cursor, 'pause', inProgress.pause);
  if (inProgress?.memory !== undefined) keepSize(cursor, 'memory', inProgress.memory, limits.memoryBytes);
  for (const [name, value] of Object.entries(inProgress?.children?.done ?? {}))
    keepSize(cursor, `inner.${name}`, value);
}

/** Of the whole run. `root` is the cursor of its root scope. */
export function runSnapshot(root: Cursor): Snapshot {
  const { run, budget } = root;
  const { steps, modelCalls, tokens } = budget.used;
  return {
    version: snapshotVersion,
    ...scopeSnapshot(root),
    steps,
    modelCalls,
    tokens,
    elapsedMs: elapsedMs(run),
    logSeq: run.log.seq(),
    answer: run.answer,
    asked: run.asked,
  };
}

/** Shares its parts with the cursor. A part that is undefined is not written as JSON. */
export function scopeSnapshot(cursor: Cursor): ScopeSnapshot {
  const { scope, budget, call, inProgress } = cursor;
  const { used } = budget;
  return {
    next: cursor.node,
    visits: cursor.visits,
    nodes: cursor.outputs,
    state: scope.state === cursor.outerState ? undefined : scope.state,
    entered: inProgress && executionSnapshot(inProgress),
    over: cursor.result && { ending: cursor.result.ending },
    used: call && { ...used, elapsedMs: callElapsedMs(cursor) },
  };
}

function executionSnapshot({
  attempt,
  memory,
  pause,
  resumeReason: woken,
  children,
}: NodeExecution): EnteredSnapshot {
  const more = attempt > 1 ? attempt : undefined;
  if (!children) return { attempt: more, memory, pause, woken };
  const open = Object.fromEntries(children.kept);
  for (const [name, cursor] of children.open) open[name] = scopeSnapshot(cursor);
  return { attempt: more, memory, pause, woken, done: children.done, failed: children.failed, open };
}

const callElapsedMs = ({ run, call }: Cursor): number =>
  call ? call.elapsedBefore + run.ports.clock.monotonic() - call.startedAt : 0;

function keepSize(cursor: Cursor, name: string, value: Json, max: number = limits.variableBytes): void {
  const { run, sizes } = cursor;
  const bytes = jsonBytes(value, max);
  const problem = sizeProblem(value, max, bytes);
  if (problem !== undefined) throw new NodeError('value.too_large', `${name}: ${problem}.`);
  const total = run.bytes + bytes - (sizes.get(name) ?? 0);
  if (total > limits.snapshotBytes) {
    throw new NodeError(
      'limit.snapshot',
      `The values of the run passed their limit of ${limits.snapshotBytes} bytes.`,
    );
  }
  sizes.set(name, bytes);
  run.bytes = total;
}

function drop({ run, sizes }: Cursor, name: string): void {
  run.bytes -= sizes.get(name) ?? 0;
  sizes.delete(name);
}
