// The state of a run in this process that all its scopes share. `scope.ts` has the state of one scope.
import type { RemoteTask } from '../ports/agent.ts';
import type { Activity } from './activity.ts';
import type { HostQueue } from './host-queue.ts';
import type { ReceivedEvent } from './pause.ts';
import type { Ports } from './ports.ts';
import type { ReceivedEvents } from './received-events.ts';
import type { OpenTask } from './remote-tasks.ts';
import type { RunLog } from './run-log.ts';
import type { AcceptedAnswer } from './snapshot.ts';
import type { Stop } from './stop.ts';

export interface Run {
  readonly id: string;
  readonly ports: Ports;
  /** Stops the whole run. A scope may stop earlier. */
  readonly stop: Stop;
  readonly log: RunLog;
  readonly startedAt: number;
  /** How many ms this invocation may take. */
  readonly ms: number;
  readonly elapsedBefore: number;
  /** Value of the monotonic clock from which on no further node begins. */
  readonly yieldAt: number;
  /**
   * The longest wait in ms that is slept through while the run asks no question. A longer wait pauses the
   * run.
   */
  readonly patienceMs: number;
  /** How long a task of another agent is waited for in this invocation, in ms. */
  readonly taskPatienceMs: number;
  readonly activity: Activity;
  readonly hosts: HostQueue;
  /** The answer with which the run was resumed, until the execution that asked has taken it. */
  answer: AcceptedAnswer | undefined;
  /** The events that were sent for its open waits when it was resumed, by the keys of the executions that wait. */
  readonly sentEvents: Map<string, ReceivedEvent>;
  /** Replaced, never modified. */
  received: ReceivedEvents | undefined;
  /** Finds the task of another agent that has changed, until the execution that waits for it has resumed. */
  isNotified: ((task: RemoteTask) => boolean) | undefined;
  /**
   * The number of questions that each execution has asked, by its key. When a node is retried, executions in
   * its child scopes have the keys of earlier ones.
   */
  readonly asked: Record<string, number>;
  /** Settles once a snapshot of the present state, or of a later one, is stored. */
  readonly keep: () => Promise<void>;
  /** The same after a node or a child scope. Undefined if none is stored now, because there are many results. */
  readonly keepProgress: () => Promise<void> | undefined;
  /** Whether a scope was paused only because it was time to yield. */
  hasYielded: boolean;
  /** Tasks of other agents that nobody waits for any more, and that are to be canceled. */
  readonly dropped: Set<OpenTask>;
  /** The size in bytes of all values in the snapshot. */
  bytes: number;
  /** The number of results of child scopes in the snapshot. */
  results: number;
}

export const elapsedMs = (run: Run) => run.elapsedBefore + run.ports.clock.monotonic() - run.startedAt;

export const msLeft = (run: Run) => Math.max(0, run.startedAt + run.ms - run.ports.clock.monotonic());

/** Whether no further node may begin in this invocation. Recorded, because the outcome depends on it. */
export function yields(run: Run): boolean {
  if (run.ports.clock.monotonic() < run.yieldAt) return false;
  run.hasYielded = true;
  return true;
}
