// The steps, model calls and tokens that a run may use. A called flow has a budget of its own within the
// caller's: what it uses counts against both.
import { NodeError } from '../format/node-error.ts';
import type { RunLimits } from './run-limits.ts';

export interface Used {
  steps: number;
  modelCalls: number;
  tokens: number;
}

export interface Budget {
  /** `depth` applies to the whole chain of calls. */
  readonly limits: Omit<RunLimits, 'ms'>;
  readonly used: Used;
  /** The budget of the flow that called this one. */
  readonly outer: Budget | undefined;
  /** Whether its own limit was passed, as opposed to a limit of its caller. */
  isPassed: boolean;
}

export const createBudget = (limits: Budget['limits'], used: Used, outer?: Budget): Budget => ({
  limits,
  used,
  outer,
  isPassed: false,
});

/** Throws `limit.steps` if no step is left. */
export function takeStep(budget: Budget): void {
  if (budget.outer) takeStep(budget.outer);
  const { limits, used } = budget;
  if (used.steps >= limits.steps) throw passed(budget, 'limit.steps', `${limits.steps} steps`);
  used.steps++;
}

/** Throws `limit.model_calls` if no model call is left. */
export function takeModelCall(budget: Budget): void {
  if (budget.outer) takeModelCall(budget.outer);
  const { limits, used } = budget;
  if (used.modelCalls >= limits.modelCalls)
    throw passed(budget, 'limit.model_calls', `${limits.modelCalls} model calls`);
  used.modelCalls++;
}

/** Counts the tokens, then throws `limit.tokens` if they exceed the limit. */
export function countTokens(budget: Budget, tokens: number): void {
  if (budget.outer) countTokens(budget.outer, tokens);
  budget.used.tokens += tokens;
  if (budget.used.tokens > budget.limits.tokens)
    throw passed(budget, 'limit.tokens', `${budget.limits.tokens} tokens`);
}

export const addUse = (one: Readonly<Used>, other: Readonly<Used>): Used => ({
  steps: one.steps + other.steps,
  modelCalls: one.modelCalls + other.modelCalls,
  tokens: one.tokens + other.tokens,
});

/** Counts what another agent has used for this run. */
export function chargeAgent({ used: own, outer }: Budget, used: Readonly<Used>): void {
  if (outer) chargeAgent(outer, used);
  own.steps += used.steps;
  own.modelCalls += used.modelCalls;
  own.tokens += used.tokens;
}

/**
 * Counts what another agent has used for this run, then throws `limit.steps`, `limit.model_calls` or
 * `limit.tokens` if that exceeds a limit.
 */
export function countAgent(budget: Budget, used: Readonly<Used>): void {
  chargeAgent(budget, used);
  checkCharge(budget);
}

function checkCharge(budget: Budget): void {
  if (budget.outer) checkCharge(budget.outer);
  const { limits, used: own } = budget;
  if (own.steps > limits.steps) throw passed(budget, 'limit.steps', `${limits.steps} steps`);
  if (own.modelCalls > limits.modelCalls)
    throw passed(budget, 'limit.model_calls', `${limits.modelCalls} model calls`);
  if (own.tokens > limits.tokens) throw passed(budget, 'limit.tokens', `${limits.tokens} tokens`);
}

function passed(budget: Budget, code: string, what: string): NodeError {
  budget.isPassed = true;
  const who = budget.outer ? 'called flow' : 'run';
  return new NodeError(code, `The ${who} passed its limit of ${what}.`);
}

/** What may still be used: the minimum over this budget and the outer ones. */
export function remaining({ limits, used, outer }: Budget): Used & { readonly toolOutputBytes: number } {
  const own = {
    steps: Math.max(0, limits.steps - used.steps),
    modelCalls: Math.max(0, limits.modelCalls - used.modelCalls),
    tokens: Math.max(0, limits.tokens - used.tokens),
    toolOutputBytes: limits.toolOutputBytes,
  };
  if (!outer) return own;
  const around = remaining(outer);
  return {
    steps: Math.min(own.steps, around.steps),
    modelCalls: Math.min(own.modelCalls, around.modelCalls),
    tokens: Math.min(own.tokens, around.tokens),
    toolOutputBytes: Math.min(own.toolOutputBytes, around.toolOutputBytes),
  };
}
