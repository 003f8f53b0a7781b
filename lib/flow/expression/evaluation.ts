// The surroundings in which templates and expressions are evaluated.
import type { Json } from '#lib/json/json.ts';
import type { Allowance, Compute } from './compute.ts';
import type { Scope } from './scope.ts';

export interface RenderAt {
  readonly scope: Scope;
  /** Called before each slow expression: throws when time is up, and lets timers run now and then. */
  readonly pace: () => Promise<void> | undefined;
  /** CPU time of this thread, which bounds what no count of steps does. */
  readonly cpuMs: () => number;
  /** Takes over what passes its allowance on this thread. Without it, an evaluation has its whole budget here. */
  readonly compute?: Compute | undefined;
  /** Characters of the texts that were put together so far: each is new memory, while a value alone is only looked at. */
  made: number;
}

export type Evaluate = (at: RenderAt) => Json | Promise<Json>;
/** With an allowance it throws `AllowancePassed` where that does not do. */
export type EvaluateWithin = (at: RenderAt, allowance?: Allowance) => Promise<Json>;
