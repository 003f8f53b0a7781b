// The work of one evaluation. Its steps are counted, so that it ends at the same point on every machine; steps that are long by themselves are
// bounded by the CPU time of the thread. Wall time says nothing: it passes too while a machine is busy or stopped.

import { limits } from '../format/limits.ts';
import { NodeError } from '../format/node-error.ts';
import { type Allowance, AllowancePassed, inlineLimits } from './compute.ts';
import { tooLarge } from './value-size.ts';

export interface Work {
  /** It is repeated elsewhere when it takes more than that. */
  readonly allowance: Allowance | undefined;
  readonly cpuMs: () => number;
  readonly cpuMsAtStart: number;
  steps: number;
  /** Of the lists, objects and texts that were made. */
  slots: number;
  isOver: boolean;
}

export const beginWork = (cpuMs: Work['cpuMs'], allowance?: Allowance): Work => ({
  allowance,
  cpuMs,
  cpuMsAtStart: cpuMs(),
  steps: 0,
  slots: 0,
  isOver: false,
});

/** Once an evaluation has an outcome, what the library still has under way of it comes to nothing. */
export function endWork(work: Work): void {
  work.isOver = true;
}

/** A node of the syntax tree was evaluated, or a function of the language is called. Throws `expression.timeout`. */
export function takeStep(work: Work): void {
  if (work.isOver) throw tooMuch('The evaluation is over.');
  work.steps += 1;
  if (work.allowance && work.steps > inlineLimits.steps) throw new AllowancePassed();
  if (work.steps > limits.expressionStepsMax)
    throw tooMuch(`The expression passed its limit of ${limits.expressionStepsMax} steps.`);
  if (work.steps % stepsBetweenLooks === 0) checkCpuTime(work);
}

/** Asking costs about as much as a step. */
const stepsBetweenLooks = 16;

/** Throws `expression.timeout`. Before what may take long and is no step. */
function checkCpuTime({ cpuMs, cpuMsAtStart, allowance }: Work): void {
  const used = cpuMs() - cpuMsAtStart;
  if (allowance && used > allowance.cpuMs) throw new AllowancePassed();
  if (used > limits.expressionCpuMs)
    throw tooMuch(`The expression passed its limit of ${limits.expressionCpuMs} ms of CPU time.`);
}

/** Before something that cannot be left in the middle: the work of a match, in the unit of `limits.regexWorkMax`. */
export function checkMatch(work: Work, regexWork: number): void {
  if (work.allowance && regexWork > inlineLimits.regexWork) throw new AllowancePassed();
  checkCpuTime(work);
}

/** Throws `expression.too_large`: without this, a loop fills the memory before its steps are used up. What is large took long, too. */
export function takeSlots(work: Work, made: unknown): void {
  addSlots(work, slotsOf(made));
}

export function addSlots(work: Work, slots: number): void {
  work.slots += slots;
  if (work.slots > limits.slotsMax) throw tooLarge('less to be made on the way');
  if (slots > slotsWithoutLook) checkCpuTime(work);
}

const slotsWithoutLook = 100;

function slotsOf(made: unknown): number {
  if (typeof made === 'string') return made.length / limits.charsPerSlot;
  if (Array.isArray(made)) return made.length;
  return typeof made === 'object' && made !== null ? 1 : 0;
}

const tooMuch = (message: string) => new NodeError('expression.timeout', message);
