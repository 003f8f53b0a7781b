// Functions of this service, beside those of JSONata: what their definitions have in common.
import { NodeError } from '../format/node-error.ts';
import type { StepBudget } from './step-budget.ts';

export interface OwnFunction {
  /**
   * Types of the arguments and of the result, as JSONata writes them. JSONata refuses others; an argument that
   * is missing passes.
   */
  readonly signature: string;
  /** The number of parameters in the signature. */
  readonly parameters: number;
  readonly run: (args: readonly unknown[], call: Call) => unknown;
}

export type OwnFunctions = Readonly<Record<string, OwnFunction>>;

export interface Call {
  readonly budget: StepBudget;
  readonly occasion: Occasion;
}

/** One evaluation: what functions return that do not depend on their arguments alone. */
export interface Occasion {
  /** In ms since 1970. */
  readonly time: number;
  /** Unique for the evaluation. The same if the evaluation is repeated. */
  readonly seed: string;
  /** The number of values that were derived from the seed. */
  derived: number;
  /** The number of integers that were kept as text. */
  kept: number;
}

/** Its message begins with the name of the function. */
export const callError = (name: string, message: string, cause?: unknown): NodeError =>
  new NodeError('expression.error', `$${name}: ${message}.`, { cause });
