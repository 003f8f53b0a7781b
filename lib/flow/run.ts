// The state of one run while it is in this process: what a snapshot holds, and what goes with it.
import type { Json, JsonObject } from '#lib/json.ts';
import type { CompiledFlow } from './compile.ts';
import type { Scope } from './expression/template.ts';
import { jsonBytes } from './json-value.ts';
import { limits } from './limits.ts';
import { NodeError } from './node-error.ts';
import type { Ports, Snapshot } from './ports.ts';
import type { RunLimits } from './run-limits.ts';
import type { RunLog } from './run-log.ts';
import type { Stop } from './stop.ts';

export interface Run {
  readonly id: string;
  readonly flow: CompiledFlow;
  readonly ports: Ports;
  readonly limits: RunLimits;
  readonly stop: Stop;
  readonly log: RunLog;
  /** Values are never changed once they are here: `state` is replaced, `nodes` only gets more entries. */
  readonly scope: Scope & { state: JsonObject; readonly nodes: Record<string, Json> };
  readonly startedAt: number;
  readonly elapsedBefore: number;
  readonly visits: Record<string, number>;
  readonly sizes: Map<string, number>;
  steps: number;
  modelCalls: number;
  tokens: number;
  /** Bytes of all values that a snapshot holds. */
  bytes: number;
}

/** Keeps a node's output under its id. Throws `value.too_large`, which the node may catch, or `limit.snapshot`. */
export function keepOutput(run: Run, nodeId: string, output: Json): void {
  keepSize(run, `nodes.${nodeId}`, output);
  run.scope.nodes[nodeId] = output;
}

export function keepState(run: Run, changes: readonly (readonly [string, Json])[]): void {
  for (const [name, value] of changes) keepSize(run, `state.${name}`, value);
  run.scope.state = { ...run.scope.state, ...Object.fromEntries(changes) };
}

/** What earlier invocations kept counts as well. */
export function countSizes(run: Run): void {
  for (const [id, value] of Object.entries(run.scope.nodes)) keepSize(run, `nodes.${id}`, value);
  for (const [name, value] of Object.entries(run.scope.state)) keepSize(run, `state.${name}`, value);
}

/** Shares its parts with the run, which stands still until the snapshot is kept: a copy for each node would cost more than the node. */
export function snapshotOf(run: Run, next: string): Snapshot {
  return {
    version: 1,
    next,
    steps: run.steps,
    visits: run.visits,
    state: run.scope.state,
    nodes: run.scope.nodes,
    modelCalls: run.modelCalls,
    tokens: run.tokens,
    elapsedMs: elapsedMs(run),
    logSeq: run.log.seq(),
  };
}

export const elapsedMs = (run: Run) => run.elapsedBefore + run.ports.clock.monotonic() - run.startedAt;

function keepSize(run: Run, name: string, value: Json): void {
  const bytes = jsonBytes(value, limits.variableBytes);
  if (bytes > limits.variableBytes) {
    throw new NodeError(
      'value.too_large',
      `${name}: expected at most ${limits.variableBytes} bytes of JSON.`,
    );
  }
  const total = run.bytes + bytes - (run.sizes.get(name) ?? 0);
  if (total > limits.snapshotBytes) {
    throw new NodeError(
      'limit.snapshot',
      `The values of the run passed their limit of ${limits.snapshotBytes} bytes.`,
    );
  }
  run.sizes.set(name, bytes);
  run.bytes = total;
}
