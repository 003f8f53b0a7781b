// The state of a run between two nodes, as plain JSON: what it is, what in it waits, and whether it fits a flow. Opaque outside `lib/flow`.
import type { Json, JsonObject } from '#lib/json/json.ts';
import { NodeError } from '../format/node-error.ts';
import type { CompiledFlow } from './node-context.ts';
import type { Ending } from './output.ts';
import type { InputRequest, Pause, ResumeReason } from './pause.ts';

export const snapshotVersion = 2;

export interface Snapshot extends ScopeSnapshot {
  readonly version: typeof snapshotVersion;
  readonly steps: number;
  readonly modelCalls: number;
  readonly tokens: number;
  readonly elapsedMs: number;
  readonly logSeq: number;
  /** How often each execution has asked something, by its key. */
  readonly asked?: Readonly<Record<string, number>> | undefined;
  /** An answer to a question to which the run has not come back yet. */
  readonly answer?: AcceptedAnswer | undefined;
}

export interface AcceptedAnswer {
  readonly id: string;
  readonly value: Json;
}

/** One cursor: where it stands, and what its own nodes gave. */
export interface ScopeSnapshot {
  readonly next: string;
  readonly visits: Readonly<Record<string, number>>;
  readonly nodes: JsonObject;
  /** Absent while it is that of the scope around it. */
  readonly state?: JsonObject | undefined;
  /** Present when an execution of the node is in progress: it is resumed instead of begun. */
  readonly entered?: EnteredSnapshot | undefined;
  /** The scope has come to its end, which the node around it has not noticed yet. */
  readonly over?: { readonly ending?: Ending | undefined } | undefined;
  /** In a called flow: what it has used of its own budget. */
  readonly used?: UsedSnapshot | undefined;
}

export interface EnteredSnapshot {
  readonly attempt?: number | undefined;
  readonly memory?: Json | undefined;
  readonly pause?: Pause | undefined;
  readonly woken?: ResumeReason | undefined;
  /** Scopes inside the node, by name: what those that are over gave, how they failed, where the others stand. */
  readonly done?: JsonObject | undefined;
  readonly failed?: Readonly<Record<string, InnerFailure>> | undefined;
  readonly open?: Readonly<Record<string, ScopeSnapshot>> | undefined;
}

export interface InnerFailure {
  readonly code: string;
  readonly message: string;
  readonly node_id: string | undefined;
}

interface UsedSnapshot {
  readonly steps: number;
  readonly modelCalls: number;
  readonly tokens: number;
  readonly elapsedMs: number;
}

/** Throws `snapshot.unfit`. Flows that this one calls are looked at when they are entered again. */
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

/** What is asked in the snapshot, in the order of the flow and of lists. */
export function requestsIn(scope: ScopeSnapshot): readonly InputRequest[] {
  return pausesIn(scope, '').flatMap(({ key, node_id, pause }) => {
    if (pause.kind !== 'input') return [];
    const { kind: _kind, id = key, ...question } = pause;
    return [{ id, node_id, ...question }];
  });
}

/** When there is something to do without an answer: RFC 3339, the earliest. */
export function resumesAt(scope: ScopeSnapshot): string | undefined {
  const times = pausesIn(scope, '').flatMap(({ pause }) => {
    if (pause.kind === 'until') return [pause.at];
    return pause.kind === 'input' && pause.expires_at !== undefined ? [pause.expires_at] : [];
  });
  return times.sort((a, b) => Date.parse(a) - Date.parse(b))[0];
}

interface PauseAt {
  /** The key of the paused execution. */
  readonly key: string;
  readonly node_id: string;
  readonly pause: Pause;
}

function pausesIn({ next, visits, entered }: ScopeSnapshot, path: string): readonly PauseAt[] {
  if (!entered) return [];
  const key = executionKey(path, next, visits[next] ?? 0);
  const own = entered.pause ? [{ key, node_id: next, pause: entered.pause }] : [];
  const inner = Object.entries(entered.open ?? {}).flatMap(([name, scope]) =>
    pausesIn(scope, childPath(key, name)),
  );
  return [...own, ...inner];
}

/** The id of the n-th question of an execution. Keys end in digits alone, so no key equals it. */
export const questionId = (key: string, n: number) => (n === 1 ? key : `${key}-${n}`);

/** Names an execution of a node, the same in every process. Ids hold no dots, so it is unique in the run. */
export const executionKey = (path: string, nodeId: string, visit: number) => `${path}${nodeId}.${visit}`;

export const childPath = (key: string, name: string) => `${key}.${name}.`;
