// The state of one scope of a run: its cursor, the outputs and variables that its nodes see, and the size of
// all that a snapshot of it holds. The run has a root scope; each block of a node and each called flow has
// its own.
import type { Json, JsonObject } from '#lib/json/json.ts';
import { jsonBytes } from '#lib/json/size.ts';
import { type Compute, computeFor } from '../expression/compute.ts';
import type { RenderAt } from '../expression/evaluation.ts';
import type { Scope } from '../expression/scope.ts';
import { limits } from '../format/limits.ts';
import { asNodeError, locatedError, NodeError } from '../format/node-error.ts';
import type { RemoteContexts } from '../format/remote-contexts.ts';
import { type Budget, takeStep } from './budget.ts';
import type { Assign, CompiledFlow, CompiledNode, Step } from './node-context.ts';
import type { Ending } from './output.ts';
import type { Pause, ResumeReason } from './pause.ts';
import type { Ports } from './ports.ts';
import { dropTasksOfExecution, type OpenTask, restoreTask, storedTasks } from './remote-tasks.ts';
import type { Run } from './run.ts';
import { type ChildFailure, type ExecutionSnapshot, executionKey, type ScopeSnapshot } from './snapshot.ts';
import { type Stop, signalled } from './stop.ts';
import { sizeProblem } from './value-size.ts';

export interface Cursor {
  readonly run: Run;
  /** The ports of the run; in a called flow, with the connections of that flow. */
  readonly ports: Ports;
  readonly flow: CompiledFlow;
  readonly budget: Budget;
  readonly stop: Stop;
  /** The flows and agents that called one another up to here, this flow last. */
  readonly chain: readonly string[];
  /** Prefix of the keys of its executions: empty at the root, `each.1.0.` in a map. */
  readonly path: string;
  /**
   * Whether the text that its nodes stream goes to the caller of the run. It does not in a flow that was
   * called for its response alone.
   */
  readonly isStreamed: boolean;
  /** Whether it checks a text that nobody may see yet. */
  readonly isQuiet: boolean;
  /** Values in it are never modified: `state` is replaced, and entries are added to `nodes`. */
  readonly scope: Scope & { state: JsonObject; readonly nodes: Record<string, Json> };
  /**
   * The stored outputs of its own nodes. At the root, where no other scope runs, it is the same object as
   * `scope.nodes`.
   */
  readonly outputs: Record<string, Json>;
  /** The state of the parent scope when this scope began. */
  readonly outerState: JsonObject | undefined;
  /** Replaced, never modified: child scopes begin with that of their parent. */
  contexts: RemoteContexts;
  /** Those of the parent scope when this scope began. */
  readonly outerContexts: RemoteContexts | undefined;
  /** In a called flow: how many ms it had run before this invocation, and when this invocation began it. */
  readonly call: { readonly elapsedBefore: number; readonly startedAt: number } | undefined;
  /** By node id, without the execution in progress. The last snapshot shares them. */
  visits: Record<string, number>;
  readonly sizes: Map<string, number>;
  /** The number of active child scopes of its node. */
  activeChildren: number;
  /** Id of the node that is executed now or next. */
  node: string;
  /** When the scope came to that node: the time of its execution. In ms since 1970. */
  arrivedAt: number;
  /** The execution of that node, once it has begun. */
  inProgress: NodeExecution | undefined;
  /** Present once the scope has ended. */
  result: ScopeResult | undefined;
}

/** Evaluates expressions and schemas that belong to the scope and to no node, on another thread. */
export const createScopeCompute = ({ run, stop }: Cursor): Compute | undefined =>
  computeFor(run.ports, (evaluate) => signalled(stop, evaluate));

/** One execution of a node, over all its attempts and pauses. */
export interface NodeExecution {
  readonly visit: number;
  readonly key: string;
  /** Its time for expressions: when it began, or resumed after a pause of its own. */
  startedAt: number;
  /** When something of it was stored last. Its child scopes begin at that time. */
  storedAt: number;
  attempt: number;
  memory: Json | undefined;
  pause: Pause | undefined;
  /** Why it runs again after a pause. Cleared when it pauses again or stores new memory. */
  resumeReason: ResumeReason | undefined;
  children: ChildScopesOfNode | undefined;
  /** The tasks of other agents that it waits for. */
  readonly tasks: Set<OpenTask>;
}

/** How a scope ended. */
export interface ScopeResult {
  /** The output of its last node. */
  readonly output: Json;
  /** Present when an `end` node ended it. */
  readonly ending?: Ending | undefined;
}

/** Child scopes of a node, by name. */
export interface ChildScopesOfNode {
  readonly done: Record<string, Json>;
  /** The variables of `merge` that those that completed have set. */
  readonly assigned: Record<string, JsonObject>;
  readonly failed: Record<string, ChildFailure>;
  readonly open: Map<string, Cursor>;
  /** Loaded from a snapshot, and not resumed yet. */
  readonly kept: Map<string, ScopeSnapshot>;
}

export const noChildren = (): ChildScopesOfNode => ({
  done: {},
  assigned: {},
  failed: {},
  open: new Map(),
  kept: new Map(),
});

function restoreExecution(
  snapshot: ExecutionSnapshot,
  { visit, key, startedAt: arrivedAt }: Pick<NodeExecution, 'visit' | 'key' | 'startedAt'>,
  budget: Budget,
): NodeExecution {
  const { startedAt = arrivedAt, storedAt = startedAt } = snapshot;
  const { attempt = 1, memory, pause, woken: resumeReason, done, assigned, failed, open } = snapshot;
  const tasks = new Set((snapshot.tasks ?? []).map((task) => restoreTask(task, budget)));
  const children = (done || failed || open) && {
    done: { ...done },
    assigned: { ...assigned },
    failed: { ...failed },
    open: new Map(),
    kept: new Map(Object.entries(open ?? {})),
  };
  return { visit, key, startedAt, storedAt, attempt, memory, pause, resumeReason, children, tasks };
}

type Inherited =
  | 'run'
  | 'ports'
  | 'flow'
  | 'budget'
  | 'stop'
  | 'chain'
  | 'path'
  | 'isStreamed'
  | 'isQuiet'
  | 'contexts';

interface CursorParts extends Pick<Cursor, Inherited | 'arrivedAt'> {
  readonly start: string;
  /** The initial values: those of the parent scope or, at the root and in a called flow, of the run. */
  readonly scope: Scope;
  readonly isCall: boolean;
}

/** A new scope or, with its snapshot, one that resumes. */
export function createCursor({ start, scope, isCall, ...parts }: CursorParts, kept?: ScopeSnapshot): Cursor {
  const { next = start, visits = {}, state = scope.state, contexts = parts.contexts, entered } = kept ?? {};
  const outputs = { ...kept?.nodes };
  const isRoot = parts.path === '';
  const isInside = !isRoot && !isCall;
  const visit = visits[next] ?? 0;
  const key = executionKey(parts.path, next, visit);
  const arrivedAt = kept?.arrivedAt ?? parts.arrivedAt;
  return {
    ...parts,
    arrivedAt,
    scope: { ...scope, state, nodes: isRoot ? outputs : { ...scope.nodes, ...outputs } },
    outputs,
    outerState: isInside ? scope.state : undefined,
    contexts,
    outerContexts: isInside ? parts.contexts : undefined,
    call: isCall
      ? { elapsedBefore: kept?.used?.elapsedMs ?? 0, startedAt: parts.run.ports.clock.monotonic() }
      : undefined,
    visits: entered ? { ...visits, [next]: visit - 1 } : { ...visits },
    sizes: new Map(),
    activeChildren: 0,
    node: next,
    inProgress: entered && restoreExecution(entered, { visit, key, startedAt: arrivedAt }, parts.budget),
    result: kept?.over && { output: outputs[next] ?? null, ending: kept.over.ending },
  };
}

export const hasVisitLeft = ({ visits }: Cursor, { id, maxVisits }: CompiledNode): boolean =>
  maxVisits === undefined || (visits[id] ?? 0) < maxVisits;

/** Throws `limit.visits` or `limit.steps`. */
export function beginExecution(cursor: Cursor, node: CompiledNode): NodeExecution {
  const { id, maxVisits } = node;
  // Checked before the step is counted: an execution that does not begin is not part of the worst case, which
  // may be the limit of steps.
  if (!hasVisitLeft(cursor, node)) {
    const message = `The run passed the limit of ${maxVisits} visits to "${id}".`;
    throw new NodeError('limit.visits', message, { nodeId: id });
  }
  const visit = (cursor.visits[id] ?? 0) + 1;
  try {
    takeStep(cursor.budget);
  } catch (thrown) {
    throw locatedError(asNodeError(thrown), id);
  }
  cursor.inProgress = {
    visit,
    key: executionKey(cursor.path, id, visit),
    startedAt: cursor.arrivedAt,
    storedAt: cursor.arrivedAt,
    attempt: 1,
    memory: undefined,
    pause: undefined,
    resumeReason: undefined,
    children: undefined,
    tasks: new Set(),
  };
  return cursor.inProgress;
}

/** The result of an execution: its step, the assignments of its node, and the next node, if there is one. */
type Result = Pick<Step, 'output' | 'state' | 'ending' | 'contexts'> & {
  readonly assign: Assign | undefined;
  readonly next: string | undefined;
};

/**
 * Stores the result of an execution. Its output is visible at once, because the assignments may read it; all
 * the rest is stored in one step, so that no snapshot of a scope beside this one holds half of it. Returns the
 * variables that it has set. Throws `value.too_large`, which the node may catch, or `limit.snapshot`.
 */
export function storeResult(cursor: Cursor, result: Result, at: RenderAt): Promise<Assigned> | Assigned {
  const { output, assign = [] } = result;
  keepSize(cursor, `nodes.${cursor.node}`, output);
  cursor.scope.nodes[cursor.node] = output;
  return assign.length > 0 ? storeAssigned(cursor, result, assign, at) : storeAtOnce(cursor, result, []);
}

type Assigned = JsonObject | undefined;

async function storeAssigned(
  cursor: Cursor,
  result: Result,
  assign: Assign,
  at: RenderAt,
): Promise<Assigned> {
  const changes: [string, Json][] = [];
  for (const [name, render] of assign) changes.push([name, await render(at)]);
  return storeAtOnce(cursor, result, changes);
}

function storeAtOnce(
  cursor: Cursor,
  result: Result,
  assigned: readonly (readonly [string, Json])[],
): Assigned {
  const { output, state, ending, contexts = cursor.contexts, next } = result;
  const changes = state ? [...Object.entries(state), ...assigned] : assigned;
  for (const [name, value] of changes) keepSize(cursor, `state.${name}`, value);
  if (contexts !== cursor.contexts) keepSize(cursor, 'contexts', contexts);
  const variables = changes.length > 0 ? Object.fromEntries(changes) : undefined;
  if (variables) cursor.scope.state = { ...cursor.scope.state, ...variables };
  cursor.contexts = contexts;
  cursor.outputs[cursor.node] = output;
  cursor.arrivedAt = cursor.run.ports.clock.now();
  countVisit(cursor, next === undefined);
  endExecution(cursor);
  if (next === undefined) cursor.result = { output, ending };
  else cursor.node = next;
  return variables;
}

/** After the last node there may be no other snapshot before the run stops: the one that it has stays as it was taken. */
function countVisit(cursor: Cursor, isLast: boolean): void {
  const { inProgress, node } = cursor;
  if (!inProgress) return;
  if (isLast) cursor.visits = { ...cursor.visits, [node]: inProgress.visit };
  else cursor.visits[node] = inProgress.visit;
}

export function keepMemory(cursor: Cursor, execution: NodeExecution, memory: Json): void {
  keepSize(cursor, 'memory', memory, limits.memoryBytes);
  execution.memory = memory;
  execution.storedAt = cursor.run.ports.clock.now();
  execution.resumeReason = undefined;
}

/** Counts the size of the tasks that the execution waits for. */
export function keepTasks(cursor: Cursor, { tasks }: NodeExecution): void {
  if (tasks.size > 0) keepSize(cursor, 'tasks', JSON.parse(JSON.stringify(storedTasks(tasks) ?? [])));
  else drop(cursor, 'tasks');
}

export interface ChildResult {
  readonly output: Json;
  readonly assigned: JsonObject | undefined;
}

/** Stores the result of a child scope of the current node. */
export function keepChildResult(
  cursor: Cursor,
  children: ChildScopesOfNode,
  name: string,
  { output, assigned }: ChildResult,
): void {
  keepSize(cursor, `inner.${name}`, output);
  if (assigned) keepSize(cursor, `merge.${name}`, assigned, limits.snapshotBytes);
  if (cursor.inProgress) cursor.inProgress.storedAt = cursor.run.ports.clock.now();
  children.done[name] = output;
  if (assigned) children.assigned[name] = assigned;
}

/** Stores why a child scope of the current node failed. */
export function keepChildFailure(
  cursor: Cursor,
  children: ChildScopesOfNode,
  name: string,
  failure: ChildFailure,
): void {
  keepSize(cursor, `inner.${name}`, failureSize(failure));
  children.failed[name] = failure;
}

/** Its id is undefined where no node of the flow failed. */
const failureSize = ({ code, message, node_id = '' }: ChildFailure): Json => ({ code, message, node_id });

/** Before they are repeated. */
export function dropFailures(cursor: Cursor, { children }: NodeExecution): void {
  for (const name of Object.keys(children?.failed ?? {})) drop(cursor, `inner.${name}`);
}

/** Discards the memory of the execution and the values of its child scopes. */
function endExecution(cursor: Cursor): void {
  const { inProgress } = cursor;
  cursor.inProgress = undefined;
  if (!inProgress) return;
  if (inProgress.tasks.size > 0 || inProgress.children) dropTasksOfExecution(cursor, inProgress);
  drop(cursor, 'tasks');
  if (inProgress.memory === undefined && !inProgress.children) return;
  drop(cursor, 'memory');
  if (!inProgress.children) return;
  const { done, assigned } = inProgress.children;
  dropFailures(cursor, inProgress);
  for (const name of Object.keys(done)) drop(cursor, `inner.${name}`);
  for (const name of Object.keys(assigned)) drop(cursor, `merge.${name}`);
  for (const child of inProgress.children.open.values()) forget(child);
}

/** Subtracts the values of a scope that has ended from the size of the run. */
export function forget(cursor: Cursor): void {
  for (const name of [...cursor.sizes.keys()]) drop(cursor, name);
  for (const child of cursor.inProgress?.children?.open.values() ?? []) forget(child);
}

/** Adds the values of a resumed scope to the size of the run. */
export function countSizes(cursor: Cursor): void {
  const { outputs, scope, outerState, contexts, outerContexts, inProgress } = cursor;
  for (const [id, value] of Object.entries(outputs)) keepSize(cursor, `nodes.${id}`, value);
  if (scope.state !== outerState)
    for (const [name, value] of Object.entries(scope.state)) keepSize(cursor, `state.${name}`, value);
  if (contexts !== outerContexts) keepSize(cursor, 'contexts', contexts);
  if (inProgress?.pause) keepSize(cursor, 'pause', inProgress.pause);
  if (inProgress) keepTasks(cursor, inProgress);
  if (inProgress?.memory !== undefined) keepSize(cursor, 'memory', inProgress.memory, limits.memoryBytes);
  for (const [name, value] of Object.entries(inProgress?.children?.done ?? {}))
    keepSize(cursor, `inner.${name}`, value);
  for (const [name, failure] of Object.entries(inProgress?.children?.failed ?? {}))
    keepSize(cursor, `inner.${name}`, failureSize(failure));
  for (const [name, values] of Object.entries(inProgress?.children?.assigned ?? {}))
    keepSize(cursor, `merge.${name}`, values, limits.snapshotBytes);
}

export function keepSize(
  cursor: Cursor,
  name: string,
  value: Json,
  max: number = limits.variableBytes,
): void {
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
  if (isResult(name) && !sizes.has(name)) run.results += 1;
  sizes.set(name, bytes);
  run.bytes = total;
}

/** Whether it is the result of a child scope. */
const isResult = (name: string) => name.startsWith('inner.');

export function drop({ run, sizes }: Cursor, name: string): void {
  if (isResult(name) && sizes.has(name)) run.results -= 1;
  run.bytes -= sizes.get(name) ?? 0;
  sizes.delete(name);
}
