// The state of a run between two nodes, as plain JSON; what is paused in it; and whether it fits a flow.
// Opaque outside `lib/flow`.
import type { Json, JsonObject } from '#lib/json/json.ts';
import { NodeError } from '../format/node-error.ts';
import type { RemoteContexts } from '../format/remote-contexts.ts';
import type { RemoteTask } from '../ports/agent.ts';
import type { CompiledFlow } from './node-context.ts';
import type { Ending } from './output.ts';
import type { AwaitedEvent, GivenAnswer, InputRequest, Pause, ResumeReason } from './pause.ts';
import type { ReceivedEvents } from './received-events.ts';

export const snapshotVersion = 2;

export interface Snapshot extends ScopeSnapshot {
  readonly version: typeof snapshotVersion;
  readonly steps: number;
  readonly modelCalls: number;
  readonly tokens: number;
  readonly elapsedMs: number;
  readonly logSeq: number;
  /** The number of questions that each execution has asked, by its key. */
  readonly asked?: Readonly<Record<string, number>> | undefined;
  /** An answer that the execution that asked has not taken yet. */
  readonly answer?: AcceptedAnswer | undefined;
  /** The events that the run has received. */
  readonly received?: ReceivedEvents | undefined;
  /** Tasks of other agents that are to be canceled. */
  readonly dropped?: readonly RemoteTask[] | undefined;
  /**
   * Only in the snapshot with which a fork begins: what it does not execute again. The run has not begun, so it checks
   * its input and its connections first.
   */
  readonly reused?: ReusedExecutions | undefined;
}

/** Executions of another run, of which a fork has the outputs. */
export interface ReusedExecutions {
  readonly run: string;
  /** In their order. Those that failed were caught. */
  readonly executions: readonly { readonly node: string; readonly failed?: boolean }[];
}

export interface AcceptedAnswer extends GivenAnswer {
  readonly id: string;
}

/** The state of one scope: its current node, and the outputs of its own nodes. */
export interface ScopeSnapshot {
  readonly next: string;
  /** When the scope came to that node, in ms since 1970. Absent while the node is executed, and before 0.1. */
  readonly arrivedAt?: number | undefined;
  readonly visits: Readonly<Record<string, number>>;
  readonly nodes: JsonObject;
  /** Absent while it equals the state of the parent scope. */
  readonly state?: JsonObject | undefined;
  /** Absent while they equal those of the parent scope, or there are none. */
  readonly contexts?: RemoteContexts | undefined;
  /** Present if an execution of the node is in progress; it is resumed. */
  readonly entered?: ExecutionSnapshot | undefined;
  /** Present if the scope has ended and its parent has not yet taken its result. */
  readonly over?: { readonly ending?: Ending | undefined } | undefined;
  /** In a called flow: what it has used of its budget. */
  readonly used?: BudgetSnapshot | undefined;
}

export interface ExecutionSnapshot {
  /** Its time for expressions, in ms since 1970. */
  readonly startedAt?: number | undefined;
  /** When something of it was stored last. Absent if that is the same time. */
  readonly storedAt?: number | undefined;
  readonly attempt?: number | undefined;
  readonly memory?: Json | undefined;
  readonly pause?: Pause | undefined;
  readonly woken?: ResumeReason | undefined;
  /** The tasks of other agents that it waits for. */
  readonly tasks?: readonly RemoteTask[] | undefined;
  /**
   * Child scopes of the node, by name: the outputs of those that completed, the errors of those that failed,
   * the state of the others.
   */
  readonly done?: JsonObject | undefined;
  /** The variables of `merge` that those that completed have set, by name of the scope. */
  readonly assigned?: Readonly<Record<string, JsonObject>> | undefined;
  readonly failed?: Readonly<Record<string, ChildFailure>> | undefined;
  readonly open?: Readonly<Record<string, ScopeSnapshot>> | undefined;
}

export interface ChildFailure {
  readonly code: string;
  readonly message: string;
  readonly node_id: string | undefined;
}

interface BudgetSnapshot {
  readonly steps: number;
  readonly modelCalls: number;
  readonly tokens: number;
  readonly elapsedMs: number;
}

/** Throws `snapshot.unfit`. Called flows are checked when they are resumed. */
export function checkFit(flow: CompiledFlow, snapshot: Snapshot): void {
  if (snapshot.version !== snapshotVersion) {
    throw unfit(`it has version ${String(snapshot.version)}, expected ${snapshotVersion}`);
  }
  checkScopeFit(flow, snapshot);
}

export function checkScopeFit(flow: CompiledFlow, { next, entered }: ScopeSnapshot): void {
  if (!flow.nodes.has(next)) throw unfit(`the flow has no node "${next}"`);
  for (const inner of Object.values(entered?.open ?? {})) if (!inner.used) checkScopeFit(flow, inner);
}

const unfit = (why: string) =>
  new NodeError('snapshot.unfit', `The run cannot be resumed, because its snapshot does not fit: ${why}.`);

/** The open questions, in the order of the flow and of lists. */
export function findRequests(scope: ScopeSnapshot): readonly InputRequest[] {
  return listPauses(scope, '').flatMap(({ key, node_id, pause }) => {
    if (pause.kind !== 'input') return [];
    const { kind: _kind, id = key, ...question } = pause;
    return [{ id, node_id, ...question }];
  });
}

/** The events for which the run waits. */
export const findAwaitedEvents = (scope: ScopeSnapshot): readonly AwaitedEvent[] =>
  listPauses(scope, '').flatMap(({ key: id, pause }) => {
    if (pause.kind !== 'event') return [];
    const { kind: _kind, ...awaited } = pause;
    return [{ id, ...awaited }];
  });

/** The earliest time (RFC 3339) at which the run can resume without an answer or an event. */
export function resumesAt(scope: ScopeSnapshot): string | undefined {
  const times = listPauses(scope, '').flatMap(({ pause }) => {
    if (pause.kind === 'until') return [pause.at];
    return 'expires_at' in pause && pause.expires_at !== undefined ? [pause.expires_at] : [];
  });
  return times.sort((a, b) => Date.parse(a) - Date.parse(b))[0];
}

/** The tasks of other agents that the run has started and that have not ended. */
export const findRemoteTasks = (snapshot: Snapshot): readonly RemoteTask[] => [
  ...(snapshot.dropped ?? []),
  ...findScopeTasks(snapshot),
];

export const findScopeTasks = ({ entered }: ScopeSnapshot): readonly RemoteTask[] => [
  ...(entered?.tasks ?? []),
  ...Object.values(entered?.open ?? {}).flatMap(findScopeTasks),
];

interface PausedExecution {
  /** The key of the paused execution. */
  readonly key: string;
  readonly node_id: string;
  readonly pause: Pause;
}

function listPauses({ next, visits, entered }: ScopeSnapshot, path: string): readonly PausedExecution[] {
  if (!entered) return [];
  const key = executionKey(path, next, visits[next] ?? 0);
  const own = entered.pause ? [{ key, node_id: next, pause: entered.pause }] : [];
  const inner = Object.entries(entered.open ?? {}).flatMap(([name, scope]) =>
    listPauses(scope, childPath(key, name)),
  );
  return [...own, ...inner];
}

/** The id of the n-th question of an execution. Keys end in `.` and digits, so no key equals it. */
export const questionId = (key: string, n: number) => (n === 1 ? key : `${key}-${n}`);

/**
 * Identifies an execution of a node, the same in every process. Ids contain no dots, so it is unique in the
 * run.
 */
export const executionKey = (path: string, nodeId: string, visit: number) => `${path}${nodeId}.${visit}`;

export const childPath = (key: string, name: string) => `${key}.${name}.`;
