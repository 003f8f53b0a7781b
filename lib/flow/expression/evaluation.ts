// The context in which templates and expressions are evaluated.
import type { Json } from '#lib/json/json.ts';
import type { Allowance, Compute } from './compute.ts';
import type { Execution } from './execution.ts';
import type { Scope } from './scope.ts';

export interface RenderAt {
  readonly scope: Scope;
  /** Without it, the time is that of the start of the run. */
  readonly execution?: Execution;
  /** Called when an evaluation has read JSON with integers that it kept as text, with their number. */
  readonly noteKept?: ((count: number) => void) | undefined;
  /**
   * Called before each expression that is not a bare path. Throws when time is up, and lets timers run now
   * and then.
   */
  readonly pace: () => Promise<void> | undefined;
  /** CPU time of this thread in ms. It limits steps that take longer than they are counted. */
  readonly cpuMs: () => number;
  /**
   * Repeats evaluations that exceed their allowance on another thread. Without it, an evaluation has its
   * whole budget on this thread.
   */
  readonly compute?: Compute | undefined;
  /**
   * Characters of all texts that were concatenated so far. Each takes new memory, while a single value is
   * passed by reference.
   */
  made: number;
}

export type Evaluate = (at: RenderAt) => Json | Promise<Json>;
/** With an allowance, it throws `AllowancePassed` when the allowance is used up. */
export type EvaluateWithin = (at: RenderAt, allowance?: Allowance) => Promise<Json>;
