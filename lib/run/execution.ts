// What a process needs to execute a run of which it holds the lease.
import type { KeepValues } from '#lib/environment/environment.ts';
import type { Answer } from '#lib/flow/engine/answer.ts';
import type { CompiledFlow } from '#lib/flow/engine/node-context.ts';
import type { ReceivedEvent } from '#lib/flow/engine/pause.ts';
import type { FlowInput, RunOptions } from '#lib/flow/engine/run-flow.ts';
import type { Snapshot } from '#lib/flow/engine/snapshot.ts';
import type { Log } from '#lib/log.ts';
import type { RecorderOptions } from './recorder.ts';

export interface Execution extends RecorderOptions {
  readonly flow: CompiledFlow;
  readonly input: FlowInput;
  readonly env: Readonly<Record<string, string>>;
  /** Of which runs the values of nodes are kept in the environment. */
  readonly keepValues: KeepValues;
  readonly snapshot?: Snapshot | undefined;
  /** What was answered since the snapshot. */
  readonly answer?: Answer | undefined;
  /** What was sent for its open waits. */
  readonly sentEvents?: readonly ReceivedEvent[];
  /** Finds the task of another agent of which that agent has notified. */
  readonly isNotified?: RunOptions['isNotified'];
  /** Whether the environment has a sink for telemetry. */
  readonly isExported: boolean;
  /** A client receives the events while the flow runs. */
  readonly isFollowed?: boolean;
  /** The time left for the run, in ms by the monotonic clock. */
  readonly limitMs: number;
  /** Ms from now after which the run yields at the next node. */
  readonly yieldAfterMs?: number;
  /** Ms from now after which a node that is still being executed is interrupted, and the run handed over. */
  readonly interruptAfterMs?: number;
  readonly log: Log;
}
