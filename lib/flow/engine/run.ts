// The state of one run while it is in this process, as far as all its scopes share it. A scope of its own is a cursor, see `cursor.ts`.
import type { Json } from '#lib/json/json.ts';
import type { Pulse } from './activity.ts';
import type { Ending } from './output.ts';
import type { Ports } from './ports.ts';
import type { RunLog } from './run-log.ts';
import type { Cursor } from './scope.ts';
import type { AcceptedAnswer } from './snapshot.ts';
import type { Stop } from './stop.ts';

export interface Run {
  readonly id: string;
  readonly ports: Ports;
  /** For the whole run; a scope may stop before. */
  readonly stop: Stop;
  readonly log: RunLog;
  readonly startedAt: number;
  /** Ms that this invocation may take. */
  readonly ms: number;
  readonly elapsedBefore: number;
  /** Value of the monotonic clock from which no node is begun. */
  readonly yieldAt: number;
  /** A wait of at most so many ms is slept through, unless somebody is asked something meanwhile; a longer one pauses the run. */
  readonly patienceMs: number;
  readonly pulse: Pulse;
  /** What the caller brought for the question of that id, until it is used. */
  answer: AcceptedAnswer | undefined;
  /** How often each visit has asked something, by its key: a visit inside a node that is tried again has the key of the one before. */
  readonly asked: Record<string, number>;
  /** Goes on in a scope until it is over or paused; here so that nodes, which the walk visits, can begin another. */
  readonly walk: (cursor: Cursor) => Promise<WalkEnd | undefined>;
  /** Settles once a snapshot is kept that holds all that has happened so far. */
  readonly keep: () => Promise<void>;
  /** Whether a scope stands still only because the time to yield has come. */
  hasYielded: boolean;
  /** Bytes of all values that a snapshot holds. */
  bytes: number;
}

/** How a scope that has come to its end did so. */
export interface WalkEnd {
  /** Of its last node. */
  readonly output: Json;
  /** Of an `end`. */
  readonly ending?: Ending | undefined;
}

export const elapsedMs = (run: Run) => run.elapsedBefore + run.ports.clock.monotonic() - run.startedAt;

export const msLeft = (run: Run) => Math.max(0, run.startedAt + run.ms - run.ports.clock.monotonic());

/** Whether no further node may begin in this invocation. Remembered, because the outcome depends on it. */
export function yields(run: Run): boolean {
  if (run.ports.clock.monotonic() < run.yieldAt) return false;
  run.hasYielded = true;
  return true;
}
