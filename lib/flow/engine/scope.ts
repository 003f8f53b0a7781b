// One scope of a run: a cursor, the outputs and variables it sees, and what it has kept. The run has one, each scope inside a node another.
import type { Json, JsonObject } from '#lib/json/json.ts';
import { jsonBytes } from '#lib/json/size.ts';
import { type Compute, computeFor } from '../expression/compute.ts';
import type { Scope } from '../expression/scope.ts';
import { limits } from '../format/limits.ts';
import { NodeError } from '../format/node-error.ts';
import type { Budget } from './budget.ts';
import type { CompiledFlow } from './node-context.ts';
import type { Pause, Waking } from './pause.ts';
import type { Ports } from './ports.ts';
import type { Run, WalkEnd } from './run.ts';
import {
  type EnteredSnapshot,
  type InnerFailure,
  keyOf,
  questionId,
  type ScopeSnapshot,
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
  /** What the keys of its visits begin with: nothing at the root, `each.1.0.` in a map. */
  readonly place: string;
  /** Whether what its nodes stream is for the caller of the run: not in a flow that was called for its response alone. */
  readonly isStreamed: boolean;
  /** Values are never changed once they are here: `state` is replaced, `nodes` only gets more entries. */
  readonly scope: Scope & { state: JsonObject; readonly nodes: Record<string, Json> };
  /** What its own nodes gave, as far as it is settled; at the root, where nothing runs beside, the same object as `scope.nodes`. */
  readonly outputs: Record<string, Json>;
  /** State of the scope around it, from which it began. */
  readonly outerState: JsonObject | undefined;
  /** Of a called flow: ms it had run before this invocation, and when it went on. */
  readonly call: { readonly elapsedBefore: number; readonly startedAt: number } | undefined;
  readonly visits: Record<string, number>;
  readonly sizes: Map<string, number>;
  /** How many scopes inside its node go on: the first of them in its place. */
  inside: number;
  /** Where the cursor stands. */
  node: string;
  /** The visit of that node, once it has begun. */
  entered: Entered | undefined;
  /** The scope has come to its end. */
  over: WalkEnd | undefined;
}

/** Evaluations elsewhere that belong to the scope and to no node of it. */
export const computeOf = ({ run, stop }: Cursor): Compute | undefined =>
  computeFor(run.ports, (evaluate) => signalled(stop, evaluate));

export interface Entered {
  readonly visit: number;
  readonly key: string;
  attempt: number;
  memory: Json | undefined;
  pause: Pause | undefined;
  /** Why it runs again after a pause, until it pauses anew or remembers what came of it. */
  woken: Waking | undefined;
  inner: InnerScopes | undefined;
}

/** Scopes inside a node, by name. */
export interface InnerScopes {
  readonly done: Record<string, Json>;
  readonly failed: Record<string, InnerFailure>;
  readonly open: Map<string, Cursor>;
  /** From a snapshot, not entered again yet. */
  readonly kept: Map<string, ScopeSnapshot>;
}

export const noScopes = (): InnerScopes => ({ done: {}, failed: {}, open: new Map(), kept: new Map() });

function enteredFrom(snapshot: EnteredSnapshot, visit: number, key: string): Entered {
  const { attempt = 1, memory, pause, woken, done, failed, open } = snapshot;
  const inner = (done || failed || open) && {
    done: { ...done },
    failed: { ...failed },
    open: new Map(),
    kept: new Map(Object.entries(open ?? {})),
  };
  return { visit, key, attempt, memory, pause, woken, inner };
}

type Inherited = 'run' | 'ports' | 'flow' | 'budget' | 'stop' | 'chain' | 'place' | 'isStreamed';

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
  const isRoot = parts.place === '';
  const isInside = !isRoot && !isCall;
  const key = keyOf(parts.place, next, visits[next] ?? 0);
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
    inside: 0,
    node: next,
    entered: entered && enteredFrom(entered, visits[next] ?? 0, key),
    over: kept?.over && { output: outputs[next] ?? null, ending: kept.over.ending },
  };
}

/**
 * Makes a node's output visible under its id. It is settled by `settle`, so that no snapshot, which a scope beside this one may take at any
 * time, has a part of what a visit did. Throws `value.too_large`, which the node may catch, or `limit.snapshot`.
 */
export function showOutput(cursor: Cursor, nodeId: string, output: Json): void {
  keepSize(cursor, `nodes.${nodeId}`, output);
  cursor.scope.nodes[nodeId] = output;
}

type Changes = readonly (readonly [string, Json])[];

/** What a visit led to, all at once: the output, the changes of the state, and the way to the next node or the end of the scope. */
export function settle(cursor: Cursor, end: WalkEnd, changes: Changes, next: string | undefined): void {
  for (const [name, value] of changes) keepSize(cursor, `state.${name}`, value);
  if (changes.length > 0) cursor.scope.state = { ...cursor.scope.state, ...Object.fromEntries(changes) };
  cursor.outputs[cursor.node] = end.output;
  leave(cursor);
  if (next === undefined) cursor.over = end;
  else cursor.node = next;
}

export function keepPause(cursor: Cursor, entered: Entered, pause: Pause): void {
  const kept = pause.kind === 'input' ? numbered(cursor.run, entered.key, pause) : pause;
  keepSize(cursor, 'pause', kept);
  entered.pause = kept;
  entered.woken = undefined;
}

/** So that an answer to a question of the visit that has been asked before is none to this one. */
function numbered({ asked }: Run, key: string, pause: Extract<Pause, { kind: 'input' }>): Pause {
  const count = (asked[key] ?? 0) + 1;
  asked[key] = count;
  return count === 1 ? pause : { ...pause, id: questionId(key, count) };
}

/** The answer passes from the run to the visit all at once: a scope beside this one may take a snapshot at any time. */
export function endPause(cursor: Cursor, entered: Entered, woken: Waking): void {
  if (woken.answer) cursor.run.answer = undefined;
  drop(cursor, 'pause');
  entered.pause = undefined;
  entered.woken = woken;
}

export function keepMemory(cursor: Cursor, entered: Entered, memory: Json): void {
  keepSize(cursor, 'memory', memory, limits.memoryBytes);
  entered.memory = memory;
  entered.woken = undefined;
}

/** The output of a scope inside the cursor's node. */
export function keepInner(cursor: Cursor, inner: InnerScopes, name: string, output: Json): void {
  keepSize(cursor, `inner.${name}`, output);
  inner.done[name] = output;
}

/** The node is left: what it and the scopes inside it have kept is dropped. */
function leave(cursor: Cursor): void {
  const { entered } = cursor;
  cursor.entered = undefined;
  if (!entered || (entered.memory === undefined && !entered.inner)) return;
  drop(cursor, 'memory');
  if (!entered.inner) return;
  for (const name of Object.keys(entered.inner.done)) drop(cursor, `inner.${name}`);
  for (const inner of entered.inner.open.values()) forget(inner);
}

/** The node runs once more: what was done stays done, only what failed is repeated. */
export function tryAgain(entered: Entered): void {
  entered.attempt++;
  if (entered.inner) entered.inner = { ...entered.inner, failed: {} };
}

/** The scope is over: its values count no more. */
export function forget(cursor: Cursor): void {
  for (const bytes of cursor.sizes.values()) cursor.run.bytes -= bytes;
  cursor.sizes.clear();
  for (const inner of cursor.entered?.inner?.open.values() ?? []) forget(inner);
}

/** What earlier invocations kept counts as well. */
export function countSizes(cursor: Cursor): void {
  const { outputs, scope, outerState, entered } = cursor;
  for (const [id, value] of Object.entries(outputs)) keepSize(cursor, `nodes.${id}`, value);
  if (scope.state !== outerState)
    for (const [name, value] of Object.entries(scope.state)) keepSize(cursor, `state.${name}`, value);
  if (entered?.pause) keepSize(cursor, 'pause', entered.pause);
  if (entered?.memory !== undefined) keepSize(cursor, 'memory', entered.memory, limits.memoryBytes);
  for (const [name, value] of Object.entries(entered?.inner?.done ?? {}))
    keepSize(cursor, `inner.${name}`, value);
}

/** Shares its parts with the cursor. A part that is undefined is not written as JSON. */
export function scopeSnapshot(cursor: Cursor): ScopeSnapshot {
  const { scope, budget, call, entered } = cursor;
  const { used } = budget;
  return {
    next: cursor.node,
    visits: cursor.visits,
    nodes: cursor.outputs,
    state: scope.state === cursor.outerState ? undefined : scope.state,
    entered: entered && enteredSnapshot(entered),
    over: cursor.over && { ending: cursor.over.ending },
    used: call && { ...used, elapsedMs: callElapsedMs(cursor) },
  };
}

function enteredSnapshot({ attempt, memory, pause, woken, inner }: Entered): EnteredSnapshot {
  const more = attempt > 1 ? attempt : undefined;
  if (!inner) return { attempt: more, memory, pause, woken };
  const open = Object.fromEntries(inner.kept);
  for (const [name, cursor] of inner.open) open[name] = scopeSnapshot(cursor);
  return { attempt: more, memory, pause, woken, done: inner.done, failed: inner.failed, open };
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
