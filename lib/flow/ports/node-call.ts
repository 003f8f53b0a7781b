// What every port receives beside its request: which attempt of which node calls, and the signal that ends the call.
import type { Compute } from '../expression/compute.ts';

/** Who asks: identifies one attempt of one node of one run, and ends it early through `signal`. */
export interface NodeCall {
  readonly runId: string;
  readonly nodeId: string;
  /** 1 for the first time the cursor of its scope enters the node, 2 for the second (a loop), … */
  readonly visit: number;
  /** 1 for the first try, 2 for the first retry, … */
  readonly attempt: number;
  /** Aborts at the node's timeout, at the run's deadline and when the run is canceled. */
  readonly signal: AbortSignal;
  /** Where a port evaluates what callers and flows have sent, if there is another thread for it. */
  readonly compute?: Compute;
  /** Hears the text of a model's answer as it comes, in pieces; of an answer with `output_schema` nothing, as it is of no use before it is whole. */
  readonly onText?: (piece: string) => void;
}
