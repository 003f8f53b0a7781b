// The state of one run in this process that all its scopes share. `scope.ts` has the state of one scope.
import type { Activity } from './activity.ts';
import type { Ports } from './ports.ts';
import type { RunLog } from './run-log.ts';
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
  readonly activity: Activity;
  /** What the caller brought for the question of that id, until it is used. */
  answer: AcceptedAnswer | undefined;
  /** How often each execution has asked something, by its key: in a child scope of a node that is retried, an execution has the key of the one before. */
  readonly asked: Record<string, number>;
  /** Settles once a snapshot is kept that holds all that has happened so far. */
  readonly keep: () => Promise<void>;
  /** Whether a scope is paused only because the time to yield has come. */
  hasYielded: boolean;
  /** Bytes of all values that a snapshot holds. */
  bytes: number;
}

export const elapsedMs = (run: Run) => run.elapsedBefore + run.ports.clock.monotonic() - run.startedAt;

export const msLeft = (run: Run) => Math.max(0, run.startedAt + run.ms - run.ports.clock.monotonic());

/** Whether no further node may begin in this invocation. Remembered, because the outcome depends on it. */
export function yields(run: Run): boolean {
  if (run.ports.clock.monotonic() < run.yieldAt) return false;
  run.hasYielded = true;
  return true;
}
