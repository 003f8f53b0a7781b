// Where the evaluations of user data take place. Each begins on the thread that all callers share, with a small allowance. One that passes it is
// given up there and repeated on another thread, which can be stopped, with its whole budget. Evaluations have no effects and count their
// work, so the outcome is the same wherever they ran.
import type { Json, JsonObject } from '#lib/json/json.ts';
import { truncate } from '#lib/truncate.ts';
import { limits } from '../format/limits.ts';
import { NodeError } from '../format/node-error.ts';
import type { Scope } from './scope.ts';

/**
 * What one evaluation may take on the shared thread. Flows of people stay far below: a filter of a list by one condition takes 8 steps an item.
 */
export const inlineLimits = {
  steps: 2_000,
  /** For steps that are long by themselves. */
  cpuMs: 5,
  /** Of one match, in the unit of `limits.regexWorkMax`: some 5 ms. */
  regexWork: 1_000_000,
  /** To parse that takes a few ms. */
  expressionChars: 2_000,
  /** Of a check against a JSON Schema, in the unit of `limits.schemaWorkMax`: some 5 ms. */
  schemaWork: 200_000,
} as const;

/** Plain data, so that it can be sent to another thread. */
export type ComputeTask =
  /** Answers the value of the expression. */
  | { readonly kind: 'expression'; readonly source: string; readonly scope: Scope }
  /** Answers the list of faults. */
  | { readonly kind: 'schema'; readonly schema: JsonObject; readonly value: Json };

/** What one evaluation may take on the shared thread. */
export interface Allowance {
  readonly cpuMs: number;
  /** Whether or not it came to its end there: it has taken so many ms. */
  readonly spend: (cpuMs: number) => void;
}

/** The port of the engine. */
export interface ComputePort {
  /** Undefined where the next evaluation takes place elsewhere from the start. */
  readonly allowance: () => Allowance | undefined;
  /** Evaluates on another thread. Rejects with a `NodeError`, or when the signal aborts before it was begun. */
  readonly elsewhere: (task: ComputeTask, signal: AbortSignal) => Promise<Json>;
}

/** The same for one attempt of a node, whose end is the end of the wait. */
export interface Compute extends Pick<ComputePort, 'allowance'> {
  readonly cpuMs: () => number;
  readonly elsewhere: (task: ComputeTask) => Promise<Json>;
}

interface Ports {
  readonly compute?: ComputePort;
  readonly clock: Pick<Compute, 'cpuMs'>;
}

/** `call` gives the port its signal, and stops to wait when that aborts. */
export function computeFor(
  { compute, clock: { cpuMs } }: Ports,
  call: (port: (signal: AbortSignal) => Promise<Json>) => Promise<Json>,
): Compute | undefined {
  if (!compute) return undefined;
  const { allowance, elsewhere } = compute;
  return { allowance, cpuMs, elsewhere: (task) => call((signal) => elsewhere(task, signal)) };
}

/** An evaluation is given up here. Never the outcome of an evaluation. */
export class AllowancePassed extends Error {}

/** `begin` has its whole budget where it is given no allowance; else it throws `AllowancePassed` when that is used up. */
export async function computed(
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
  return await compute.elsewhere(task);
}

/** What runs without a pause counts against the allowance, however it ends. */
export function spending<T>(allowance: Allowance | undefined, cpuMs: () => number, run: () => T): T {
  if (!allowance) return run();
  const began = cpuMs();
  try {
    return run();
  } finally {
    allowance.spend(cpuMs() - began);
  }
}

/** The outcome of an evaluation that had to be stopped from outside, because it passed its bounds and did not end by itself. */
export const stoppedError = (task: ComputeTask): NodeError =>
  task.kind === 'schema'
    ? new NodeError('schema.too_complex', 'The JSON Schema takes too much work for the value.')
    : new NodeError(
        'expression.timeout',
        `The expression passed its limit of ${limits.expressionCpuMs} ms of CPU time. In ${quoted(task.source)}.`,
      );

/** The same for one that filled the memory. */
export const tooLargeError = (task: ComputeTask): NodeError =>
  task.kind === 'schema'
    ? stoppedError(task)
    : new NodeError('expression.too_large', `Too much work in ${quoted(task.source)}.`);

/** The expression that a message is about. */
export const quoted = (source: string): string =>
  `{{ ${source.length > 80 ? `${truncate(source, 80)}…` : source} }}`;
