// Child scopes: the blocks of a node, and the flows that it calls. Opens, completes and drops them;
// `interpreter.ts` executes them.
import type { Json, JsonObject } from '#lib/json/json.ts';
import { asNodeError, endsRun, NodeError } from '../format/node-error.ts';
import { createBudget } from './budget.ts';
import { CheckpointError } from './checkpoint.ts';
import { endArtifacts } from './end-artifacts.ts';
import { checkInput, checkResponse, inputScope } from './input-output.ts';
import type { CalledFlow, Entrance, ScopeEnd } from './node-context.ts';
import type { Artifact } from './output.ts';
import { dropTasksOfScope, dropTasksOfSnapshot } from './remote-tasks.ts';
import { yields } from './run.ts';
import { limitsInForce } from './run-limits.ts';
import {
  type ChildScopesOfNode,
  type Cursor,
  countSizes,
  createCursor,
  createScopeCompute,
  forget,
  keepChildFailure,
  keepChildResult,
  type NodeExecution,
  noChildren,
  type ScopeResult,
} from './scope.ts';
import { checkScopeFit, childPath, executionKey, type ScopeSnapshot } from './snapshot.ts';
import { createStop, type Stop, untilStopped } from './stop.ts';
import { scopeSnapshot } from './take-snapshot.ts';

/** The node that opens a child scope, and the stop of its attempt. */
export interface Parent {
  readonly cursor: Cursor;
  readonly execution: NodeExecution;
  readonly stop: Stop;
}

export interface ChildScope {
  readonly name: string;
  readonly parent: Parent;
  readonly children: ChildScopesOfNode;
  readonly cursor: Cursor;
  /** The variables whose values its end has. */
  readonly merged: readonly string[];
}

type Create = (kept: ScopeSnapshot | undefined) => Cursor;

export function openBlock(parent: Parent, name: string, entrance: Entrance): ChildScope | ScopeEnd {
  const create: Create = (kept) => blockCursor(parent, name, entrance, kept);
  return open(parent, name, create, entrance.merge?.names);
}

export const openFlow = (parent: Parent, name: string, called: CalledFlow): ChildScope | ScopeEnd =>
  open(parent, name, (kept) => flowCursor(parent, name, called, kept));

/** Returns the end of the scope if it has ended before. */
function open(
  parent: Parent,
  name: string,
  create: Create,
  merged: readonly string[] = [],
): ChildScope | ScopeEnd {
  const { run } = parent.cursor;
  parent.execution.children ??= noChildren();
  const { children } = parent.execution;
  const end = endOfChild(children, name);
  if (end) return end;
  if (yields(run)) return { status: 'yielded' };
  const cursor = create(keptSnapshot(children, name));
  children.open.set(name, cursor);
  enterChild(parent.cursor);
  return { name, parent, children, cursor, merged };
}

/** Discards a paused child that is not needed any more, its question and the tasks that it waits for. */
export function dropChild(parent: Cursor, { open, kept }: ChildScopesOfNode, name: string): void {
  const paused = open.get(name);
  const snapshot = kept.get(name);
  if (paused) {
    dropTasksOfScope(paused);
    forget(paused);
  }
  if (snapshot) dropTasksOfSnapshot(parent, snapshot);
  open.delete(name);
  kept.delete(name);
}

/** The state of a child that was paused in an earlier invocation, or in an earlier attempt of this one. */
function keptSnapshot({ kept, open }: ChildScopesOfNode, name: string): ScopeSnapshot | undefined {
  const paused = open.get(name);
  const snapshot = paused ? scopeSnapshot(paused) : kept.get(name);
  if (paused) forget(paused);
  kept.delete(name);
  return snapshot;
}

export function endOfChild(children: ChildScopesOfNode, name: string): ScopeEnd | undefined {
  const { done, assigned, failed } = children;
  if (Object.hasOwn(done, name))
    return { status: 'completed', output: done[name] ?? null, assigned: assigned[name] };
  const failure = Object.hasOwn(failed, name) ? failed[name] : undefined;
  if (!failure) return undefined;
  const { code, message, node_id } = failure;
  return { status: 'failed', error: new NodeError(code, message, { nodeId: node_id }) };
}

/** The parent's scope waits while its first child is active; each further child is active beside that one. */
function enterChild(parent: Cursor): void {
  parent.activeChildren += 1;
  if (parent.activeChildren > 1) parent.run.activity.begin();
}

/** The child has ended or is paused. */
export function leaveChild({ parent: { cursor: parent }, cursor }: ChildScope): void {
  cursor.stop.close();
  parent.activeChildren -= 1;
  if (parent.activeChildren > 0) parent.run.activity.end();
}

export async function prepareChild({ cursor }: ChildScope): Promise<void> {
  countSizes(cursor);
  const isNew = !cursor.inProgress && Object.keys(cursor.visits).length === 0;
  if (cursor.call && isNew) await checkInput(cursor.flow, cursor.scope.input, createScopeCompute(cursor));
}

export async function completeChild(child: ChildScope, result: ScopeResult): Promise<ScopeEnd> {
  const { name, parent, children, cursor } = child;
  const output = cursor.call ? await flowResponse(cursor, result) : result.output;
  const completed = { output, assigned: readAssigned(child) };
  close(child);
  keepChildResult(parent.cursor, children, name, completed);
  const kept = cursor.run.keepProgress();
  if (kept !== undefined) await untilStopped(cursor.run.stop, kept);
  return { status: 'completed', ...completed };
}

/** The variables of `merge` that the scope has changed, if there are any. */
function readAssigned({ cursor, merged }: ChildScope): JsonObject | undefined {
  const { scope, outerState = {} } = cursor;
  const changed = merged.flatMap((name): (readonly [string, Json])[] => {
    const value = Object.hasOwn(scope.state, name) ? scope.state[name] : undefined;
    return value === undefined || Object.is(value, outerState[name]) ? [] : [[name, value]];
  });
  return changed.length > 0 ? Object.fromEntries(changed) : undefined;
}

async function flowResponse(cursor: Cursor, { ending }: ScopeResult): Promise<Json> {
  const response = ending?.response ?? cursor.scope.state;
  await checkResponse(cursor.flow, response, createScopeCompute(cursor));
  replyArtifacts(cursor, ending?.artifacts ?? []);
  return response;
}

/** The artifacts of a called flow become artifacts of the run, like those of its `reply` nodes. */
function replyArtifacts({ run, path, node, visits }: Cursor, artifacts: readonly Artifact[]): void {
  const key = executionKey(path, node, visits[node] ?? 0);
  for (const content of endArtifacts(artifacts, path)) run.ports.reply({ node_id: node, ...content }, key);
}

/** Throws if the error ends the parent or the whole run. */
export function failChild(child: ChildScope, thrown: unknown): ScopeEnd {
  const { name, parent, children, cursor } = child;
  // The whole run has ended, or another process resumes it: its last snapshot still has this scope.
  const stopped = cursor.run.stop.error();
  if (stopped) throw thrown instanceof CheckpointError ? thrown : stopped;
  close(child);
  const end = toFailure(child, thrown);
  if (end.status === 'failed') {
    const { code, message, nodeId } = end.error;
    keepChildFailure(parent.cursor, children, name, { code, message, node_id: nodeId });
  }
  return end;
}

function close({ name, children, cursor }: ChildScope): void {
  children.open.delete(name);
  dropTasksOfScope(cursor);
  forget(cursor);
}

/** A limit of a called flow fails that flow; a limit of the run ends the run. */
function toFailure({ parent, cursor }: ChildScope, thrown: unknown): ScopeEnd {
  const stopped = parent.stop.error();
  if (thrown instanceof CheckpointError || stopped) throw stopped ?? thrown;
  if (cursor.stop.error()?.code === 'canceled') return { status: 'canceled' };
  const error = asNodeError(thrown);
  if (!endsRun(error.code)) return { status: 'failed', error };
  const isOwnLimit = cursor.call && (cursor.budget.isPassed || cursor.stop.error());
  if (!isOwnLimit) throw cursor.call ? withoutNode(error) : error;
  return {
    status: 'failed',
    error: new NodeError('flow.limit', error.message, { nodeId: error.nodeId, cause: error }),
  };
}

/** The ids of a called flow mean nothing to the caller of the run. */
const withoutNode = ({ code, message, cause }: NodeError) => new NodeError(code, message, { cause });

function blockCursor(parent: Parent, name: string, entrance: Entrance, kept?: ScopeSnapshot) {
  const { start, merge, ...names } = entrance;
  const { cursor, execution, stop } = parent;
  const { run, ports, flow, budget, chain, isStreamed, isQuiet, contexts, scope } = cursor;
  return createCursor(
    {
      run,
      ports,
      flow,
      budget,
      chain,
      isStreamed,
      isQuiet,
      contexts,
      start,
      stop: createStop(stop),
      path: childPath(execution.key, name),
      arrivedAt: execution.storedAt,
      scope: { ...scope, ...(merge && { state: merge.state }), ...names },
      isCall: false,
    },
    kept,
  );
}

function flowCursor(parent: Parent, name: string, called: CalledFlow, kept?: ScopeSnapshot): Cursor {
  const { cursor, execution, stop } = parent;
  const { flow, flowid, env, ports } = called.found;
  if (kept) checkScopeFit(flow, kept);
  const { run } = cursor;
  const elapsedMs = kept?.used?.elapsedMs ?? 0;
  const { ms, ...bounds } = limitsInForce(flow.limits, {}, { elapsedMs, timeoutMs: Number.MAX_SAFE_INTEGER });
  const depth = Math.min(cursor.budget.limits.depth, cursor.chain.length + bounds.depth);
  const { steps = 0, modelCalls = 0, tokens = 0 } = kept?.used ?? {};
  const error = () => new NodeError('limit.timeout', 'The called flow passed its time limit.');
  return createCursor(
    {
      run,
      ports: { ...cursor.ports, ...ports },
      flow,
      chain: [...cursor.chain, flowid],
      start: flow.start,
      budget: createBudget({ ...bounds, depth }, { steps, modelCalls, tokens }, cursor.budget),
      stop: createStop(stop, { clock: run.ports.clock, ms, error }),
      path: childPath(execution.key, name),
      arrivedAt: execution.storedAt,
      scope: { input: inputScope(called), state: flow.state, env, nodes: {}, run: cursor.scope.run },
      isStreamed: cursor.isStreamed && called.isStreamed === true,
      isQuiet: cursor.isQuiet || called.isQuiet === true,
      contexts: {},
      isCall: true,
    },
    kept,
  );
}
