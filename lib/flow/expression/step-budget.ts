// The budget of one evaluation. Its steps are counted, so that it ends at the same point on every machine.
// The CPU time of the thread limits steps that take long. Elapsed time is not used, because it also passes
// while a machine is busy or suspended.

import { limits } from '../format/limits.ts';
import { NodeError } from '../format/node-error.ts';
import { type Allowance, AllowancePassed, inlineLimits } from './compute.ts';
import { tooLarge } from './value-size.ts';

export interface StepBudget {
  /** With an allowance, an evaluation that exceeds it is repeated on another thread. */
  readonly allowance: Allowance | undefined;
  readonly cpuMs: () => number;
  readonly cpuMsAtStart: number;
  steps: number;
  /** Slots of the lists, objects and texts that were created. */
  slots: number;
  isOver: boolean;
}

export const createBudget = (cpuMs: StepBudget['cpuMs'], allowance?: Allowance): StepBudget => ({
  allowance,
  cpuMs,
  cpuMsAtStart: cpuMs(),
  steps: 0,
  slots: 0,
  isOver: false,
});

/** After an evaluation has an outcome, any step that the library still executes throws. */
export function closeBudget(budget: StepBudget): void {
  budget.isOver = true;
}

/** Counts the evaluation of a syntax tree node or the call of a function. Throws `expression.timeout`. */
export function countStep(budget: StepBudget): void {
  if (budget.isOver) throw tooMuch('The evaluation is over.');
  budget.steps += 1;
  if (budget.allowance && budget.steps > inlineLimits.steps) throw new AllowancePassed();
  if (budget.steps > limits.expressionStepsMax)
    throw tooMuch(`The expression passed its limit of ${limits.expressionStepsMax} steps.`);
  if (budget.steps % stepsBetweenChecks === 0) checkCpuTime(budget);
}

/**
 * Counts work that grows with the size of what a function reads: one step for each `unitsPerStep` characters
 * or items.
 */
export function countWork(budget: StepBudget, units: number): void {
  budget.steps += Math.floor(units / unitsPerStep);
  countStep(budget);
  if (units > unitsWithoutCheck) checkCpuTime(budget);
}

/** A digest of that many characters takes about as long as a step. */
const unitsPerStep = 128;
const unitsWithoutCheck = 4_096;

/** Reading the CPU time takes about as long as a step. */
const stepsBetweenChecks = 16;

/** Called before operations that can take long and are not counted as steps. Throws `expression.timeout`. */
function checkCpuTime({ cpuMs, cpuMsAtStart, allowance }: StepBudget): void {
  const used = cpuMs() - cpuMsAtStart;
  if (allowance && used > allowance.cpuMs) throw new AllowancePassed();
  if (used > limits.expressionCpuMs)
    throw tooMuch(`The expression passed its limit of ${limits.expressionCpuMs} ms of CPU time.`);
}

/**
 * Called before a match, which cannot be interrupted. `regexSteps` has the unit of `limits.regexStepsMax`.
 */
export function checkMatch(budget: StepBudget, regexSteps: number): void {
  if (budget.allowance && regexSteps > inlineLimits.regexSteps) throw new AllowancePassed();
  checkCpuTime(budget);
}

/**
 * Throws `expression.too_large`. Without this limit, a loop could fill the memory before its steps are used
 * up. Large values also took long to create, so the CPU time is checked.
 */
export function countSlots(budget: StepBudget, made: unknown): void {
  addSlots(budget, measureSlots(made));
}

export function addSlots(budget: StepBudget, slots: number): void {
  budget.slots += slots;
  if (budget.slots > limits.slotsMax) throw tooLarge('fewer or smaller intermediate values');
  if (slots > slotsWithoutCheck) checkCpuTime(budget);
}

const slotsWithoutCheck = 100;

function measureSlots(made: unknown): number {
  if (typeof made === 'string') return made.length / limits.charsPerSlot;
  if (Array.isArray(made)) return made.length;
  return typeof made === 'object' && made !== null ? 1 : 0;
}

const tooMuch = (message: string) => new NodeError('expression.timeout', message);
