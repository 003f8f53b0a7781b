// Where expressions and schemas of users are evaluated. Each evaluation begins on the thread that all callers
// share, with a small allowance. An evaluation that exceeds it is abandoned and repeated with its whole
// budget on another thread, which can be terminated. Evaluations have no effects and count their steps, so
// that the outcome is the same on both threads.
import type { Json, JsonObject } from '#lib/json/json.ts';
import { truncate } from '#lib/truncate.ts';
import type { Detection } from '../format/detection.ts';
import { limits } from '../format/limits.ts';
import { NodeError } from '../format/node-error.ts';
import type { Execution } from './execution.ts';
import type { Scope } from './scope.ts';

/**
 * Limits of one evaluation on the shared thread. Ordinary flows stay far below: filtering a list by one
 * condition takes 8 steps for each item.
 */
export const inlineLimits = {
  steps: 2_000,
  /** CPU time in ms, for steps that take long. */
  cpuMs: 5,
  /** Steps of one regular expression match, in the unit of `limits.regexStepsMax`: about 5 ms. */
  regexSteps: 1_000_000,
  /** Characters of an expression; parsing this many takes a few ms. */
  expressionChars: 2_000,
  /** Steps of one JSON Schema validation, in the unit of `limits.schemaStepsMax`: about 5 ms. */
  schemaSteps: 200_000,
} as const;

/** Plain data, so that it can be sent to another thread. */
export type ComputeTask =
  /** Returns `{value, kept}`: the value of the expression, and how many integers it kept as text. */
  | {
      readonly kind: 'expression';
      readonly source: string;
      readonly scope: Scope;
      readonly execution?: Execution | undefined;
    }
  /** Returns the list of faults. */
  | { readonly kind: 'schema'; readonly schema: JsonObject; readonly value: Json }
  /** Returns `{matches, text}`, see `search-text.ts`. */
  | ({ readonly kind: 'search' } & TextSearch);

/**
 * A regular expression or a kind of text with a name, and what replaces each match. Without `replacement`, the search
 * ends with the first.
 */
export interface TextSearch {
  readonly source: string;
  /** The kind of text, of which `source` is the name. */
  readonly detection?: Detection | undefined;
  readonly text: string;
  readonly replacement?: string | undefined;
}

/** What one evaluation may use on the shared thread. */
export interface Allowance {
  readonly cpuMs: number;
  /** Reports the CPU time that an evaluation has used, whether or not it completed. */
  readonly spend: (cpuMs: number) => void;
}

/** The port of the engine. */
export interface ComputePort {
  /** Undefined if the next evaluation must run on the other thread from its beginning. */
  readonly allowance: () => Allowance | undefined;
  /**
   * Evaluates on another thread. Rejects with a `NodeError`, or if the signal aborts before the evaluation
   * begins.
   */
  readonly runOnThread: (task: ComputeTask, signal: AbortSignal) => Promise<Json>;
}

/** The same for one attempt of a node; the end of the attempt ends the wait. */
export interface Compute extends Pick<ComputePort, 'allowance'> {
  readonly cpuMs: () => number;
  readonly runOnThread: (task: ComputeTask) => Promise<Json>;
}

interface Ports {
  readonly compute?: ComputePort;
  readonly clock: Pick<Compute, 'cpuMs'>;
}

/** `call` passes the signal of the attempt to the port, and stops waiting when the signal aborts. */
export function computeFor(
  { compute, clock: { cpuMs } }: Ports,
  call: (port: (signal: AbortSignal) => Promise<Json>) => Promise<Json>,
): Compute | undefined {
  if (!compute) return undefined;
  const { allowance, runOnThread } = compute;
  return { allowance, cpuMs, runOnThread: (task) => call((signal) => runOnThread(task, signal)) };
}

/** Thrown to abandon an evaluation on the shared thread. It is never the outcome of an evaluation. */
export class AllowancePassed extends Error {}

/**
 * Without an allowance, `begin` has its whole budget. With an allowance, it throws `AllowancePassed` when the
 * allowance is used up; then the task runs on the other thread.
 */
export async function runInlineFirst(
  compute: Compute | undefined,
  task: ComputeTask,
  begin: (allowance?: Allowance) => Json | Promise<Json>,
): Promise<Json> {
  if (!compute) return await begin();
  const allowance = compute.allowance();
  if (allowance) {
    try {
      return await begin(allowance);
    } catch (error) {
      if (!(error instanceof AllowancePassed)) throw error;
    }
  }
  return await compute.runOnThread(task);
}

/** Charges the CPU time of a synchronous function to the allowance, also if the function throws. */
export function chargeAllowance<T>(allowance: Allowance | undefined, cpuMs: () => number, run: () => T): T {
  if (!allowance) return run();
  const began = cpuMs();
  try {
    return run();
  } finally {
    allowance.spend(cpuMs() - began);
  }
}

/** The error of an evaluation that exceeded its limits, did not end by itself, and was terminated. */
export const stoppedError = (task: ComputeTask): NodeError =>
  task.kind === 'schema'
    ? new NodeError('schema.too_complex', 'The JSON Schema takes too much work for the value.')
    : new NodeError(
        'expression.timeout',
        `The expression passed its limit of ${limits.expressionCpuMs} ms of CPU time. In ${quoteTask(task)}.`,
      );

/** The error of an evaluation that used up the memory of its thread. */
export const tooLargeError = (task: ComputeTask): NodeError =>
  task.kind === 'schema'
    ? stoppedError(task)
    : new NodeError('expression.too_large', `Too much work in ${quoteTask(task)}.`);

const quoteTask = ({ kind, source }: Exclude<ComputeTask, { readonly kind: 'schema' }>): string =>
  kind === 'expression' ? quoteExpression(source) : `the pattern ${truncate(source, 80)}`;

/** The expression, shortened for a message. */
export const quoteExpression = (source: string): string =>
  `{{ ${source.length > 80 ? `${truncate(source, 80)}…` : source} }}`;
