// What every port receives in addition to its request: which attempt of which node calls, and the signal that
// ends the call.
import type { Compute } from '../expression/compute.ts';

/** The header fields of W3C Trace Context, as HTTP and the `_meta` of MCP have them. A type, because it is sent as JSON. */
export type TraceHeaders = {
  readonly traceparent: string;
  readonly tracestate?: string | undefined;
};

/** Identifies one attempt of one node of one run, and aborts the call through `signal`. */
export interface NodeCall {
  readonly runId: string;
  /** Identifies the execution in the run: `order.2`, inside a map `each.1.0.order.1`. */
  readonly key: string;
  readonly nodeId: string;
  /** 1 for the first execution of the node in its scope, 2 for the second (in a loop), … */
  readonly visit: number;
  /** 1 for the first attempt, 2 for the first retry, … */
  readonly attempt: number;
  /** Aborts at the node's timeout, at the run's deadline and when the run is canceled. */
  readonly signal: AbortSignal;
  /** Evaluates data of callers and flows on another thread, if there is one. */
  readonly compute?: Compute;
  /**
   * Receives the text of a model in pieces while it is written. Not called for an answer with
   * `output_schema`, which is of no use until it is complete.
   */
  readonly onText?: (piece: string) => void;
  /** The trace context that the requests of the attempt carry; absent where no run is recorded. */
  readonly trace?: () => Promise<TraceHeaders>;
  /**
   * Called when the message to another agent is sent, and with the id of its task once that is known. Await it before
   * the task is read: a run that resumes in another process then knows the task. It does not reject.
   */
  readonly onTask?: (taskId?: string) => Promise<void> | undefined;
}
