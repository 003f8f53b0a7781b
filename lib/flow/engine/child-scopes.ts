// Scopes inside a node: begun or gone on with, remembered when they are over, and told apart by their names.
import type { Json } from '#lib/json/json.ts';
import { asNodeError, endsRun, NodeError } from '../format/node-error.ts';
import { createBudget } from './budget.ts';
import { CheckpointError } from './checkpoint.ts';
import { endArtifacts } from './end-artifacts.ts';
import { checkInput, checkResponse, inputScope } from './input-output.ts';
import type { CalledFlow, Entrance, Inner, ScopeEnd } from './node-context.ts';
import type { Artifact } from './output.ts';
import { type WalkEnd, yields } from './run.ts';
import { limitsInForce } from './run-limits.ts';
import {
  type Cursor,
  computeOf,
  countSizes,
  createCursor,
  type Entered,
  forget,
  type InnerScopes,
  keepInner,
  noScopes,
  scopeSnapshot,
} from './scope.ts';
import { checkScopeFit, keyOf, placeInside, type ScopeSnapshot } from './snapshot.ts';
import { createStop, ignore, type Stop, untilStopped } from './stop.ts';

/** A node that is being run, and the stop of its attempt. */
export interface Host {
  readonly cursor: Cursor;
  readonly entered: Entered;
  readonly stop: Stop;
}

export const enterScope = (host: Host, name: string, entrance: Entrance): Inner =>
  goOn(host, name, (snapshot) => blockCursor(host, name, entrance, snapshot));

export const callFlow = (host: Host, name: string, called: CalledFlow): Inner =>
  goOn(host, name, (snapshot) => flowCursor(host, name, called, snapshot));

function goOn(host: Host, name: string, begin: (snapshot: ScopeSnapshot | undefined) => Cursor): Inner {
  const { run } = host.cursor;
  host.entered.inner ??= noScopes();
  const { inner } = host.entered;
  const over = endKnown(inner, name);
  if (over) return { end: Promise.resolve(over), cancel: ignore };
  if (yields(run)) return { end: Promise.resolve({ status: 'yielded' }), cancel: ignore };
  const scope = begin(keptOf(inner, name));
  inner.open.set(name, scope);
  const cancel = () => scope.stop.end(new NodeError('canceled', 'Its result is not needed any more.'));
  return { end: through(host, scope, inner, name), cancel };
}

/** Of a scope that stands still: nobody needs it any more, nor an answer to what it asks. */
export function dropScope(inner: InnerScopes, name: string): void {
  const paused = inner.open.get(name);
  if (paused) forget(paused);
  inner.open.delete(name);
  inner.kept.delete(name);
}

/** Where the scope stood: before this invocation, or before another attempt in this one. */
function keptOf({ kept, open }: InnerScopes, name: string): ScopeSnapshot | undefined {
  const paused = open.get(name);
  const snapshot = paused ? scopeSnapshot(paused) : kept.get(name);
  if (paused) forget(paused);
  kept.delete(name);
  return snapshot;
}

export function endKnown({ done, failed }: InnerScopes, name: string): ScopeEnd | undefined {
  if (Object.hasOwn(done, name)) return { status: 'completed', output: done[name] ?? null };
  const failure = Object.hasOwn(failed, name) ? failed[name] : undefined;
  if (!failure) return undefined;
  const { code, message, node_id } = failure;
  return { status: 'failed', error: new NodeError(code, message, { nodeId: node_id }) };
}

/** To its end or its pause. Rejects with what ends the node around it or the whole run. */
async function through(host: Host, scope: Cursor, inner: InnerScopes, name: string): Promise<ScopeEnd> {
  const { run } = scope;
  goIn(host.cursor);
  try {
    const walked = await begun(scope);
    if (!walked) return { status: run.hasYielded ? 'yielded' : 'paused' };
    const output = await outputOf(scope, walked);
    close(scope, inner, name);
    keepInner(host.cursor, inner, name, output);
    await untilStopped(run.stop, run.keep());
    return { status: 'completed', output };
  } catch (thrown) {
    close(scope, inner, name);
    const end = failureOf(host, scope, thrown);
    if (end.status === 'failed') {
      const { code, message, nodeId } = end.error;
      inner.failed[name] = { code, message, node_id: nodeId };
    }
    return end;
  } finally {
    scope.stop.close();
    comeOut(host.cursor);
  }
}

/** Whoever waits for one scope inside goes on as that one; each further one goes on beside it. */
function goIn(cursor: Cursor): void {
  cursor.inside += 1;
  if (cursor.inside > 1) cursor.run.pulse.begin();
}

function comeOut(cursor: Cursor): void {
  cursor.inside -= 1;
  if (cursor.inside > 0) cursor.run.pulse.end();
}

async function begun(scope: Cursor): Promise<WalkEnd | undefined> {
  countSizes(scope);
  const isNew = !scope.entered && Object.keys(scope.visits).length === 0;
  if (scope.call && isNew) await checkInput(scope.flow, scope.scope.input, computeOf(scope));
  return await scope.run.walk(scope);
}

async function outputOf(scope: Cursor, { output, ending }: WalkEnd): Promise<Json> {
  if (!scope.call) return output;
  const response = ending?.response ?? scope.scope.state;
  await checkResponse(scope.flow, response, computeOf(scope));
  handOver(scope, ending?.artifacts ?? []);
  return response;
}

/** Its outputs beside the response are outputs of the run, as those of its replies are. */
function handOver({ run, place, node, visits }: Cursor, artifacts: readonly Artifact[]): void {
  const key = keyOf(place, node, visits[node] ?? 0);
  for (const handed of endArtifacts(artifacts, place)) run.ports.reply({ node_id: node, ...handed }, key);
}

function close(scope: Cursor, inner: InnerScopes, name: string): void {
  inner.open.delete(name);
  forget(scope);
}

/** A limit of a called flow is that flow's failure; a limit of the run is the end of all. */
function failureOf(host: Host, scope: Cursor, thrown: unknown): ScopeEnd {
  const around = host.stop.error();
  if (thrown instanceof CheckpointError || around) throw around ?? thrown;
  if (scope.stop.error()?.code === 'canceled') return { status: 'canceled' };
  const error = asNodeError(thrown);
  if (!endsRun(error.code)) return { status: 'failed', error };
  const isOwnLimit = scope.call && (scope.budget.isPassed || scope.stop.error());
  if (!isOwnLimit) throw error;
  return {
    status: 'failed',
    error: new NodeError('flow.limit', error.message, { nodeId: error.nodeId, cause: error }),
  };
}

function blockCursor(host: Host, name: string, { start, ...names }: Entrance, kept?: ScopeSnapshot): Cursor {
  const { cursor, entered, stop } = host;
  const { run, ports, flow, budget, chain, isStreamed, scope } = cursor;
  return createCursor(
    {
      ...{ run, ports, flow, budget, chain, isStreamed, start },
      stop: createStop(stop),
      place: placeInside(entered.key, name),
      scope: { ...scope, ...names },
      isCall: false,
    },
    kept,
  );
}

function flowCursor(host: Host, name: string, called: CalledFlow, kept?: ScopeSnapshot): Cursor {
  const { cursor, entered, stop } = host;
  const { flow, flowid, env, ports: own } = called.found;
  if (kept) checkScopeFit(flow, kept);
  const { run } = cursor;
  const elapsedMs = kept?.used?.elapsedMs ?? 0;
  const { ms, ...bounds } = limitsInForce(flow.limits, {}, { elapsedMs, timeoutMs: Number.MAX_SAFE_INTEGER });
  const chain = [...cursor.chain, flowid];
  const depth = Math.min(cursor.budget.limits.depth, cursor.chain.length + bounds.depth);
  const { steps = 0, modelCalls = 0, tokens = 0 } = kept?.used ?? {};
  const error = () => new NodeError('limit.timeout', 'The called flow passed its time limit.');
  return createCursor(
    {
      ...{ run, ports: { ...cursor.ports, ...own }, flow, chain, start: flow.start },
      budget: createBudget({ ...bounds, depth }, { steps, modelCalls, tokens }, cursor.budget),
      stop: createStop(stop, { clock: run.ports.clock, ms, error }),
      place: placeInside(entered.key, name),
      scope: { input: inputScope(called), state: flow.state, env, nodes: {}, run: cursor.scope.run },
      isStreamed: cursor.isStreamed && called.isStreamed === true,
      isCall: true,
    },
    kept,
  );
}
