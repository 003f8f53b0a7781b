// How a text is checked by the guardrails of a node. Types only.
import type { NodeContext } from '../engine/node-context.ts';
import type { CallMemory } from './called-flow.ts';

export type Side = 'input' | 'output';

/** The execution whose texts are checked. */
export interface Guarding {
  readonly context: NodeContext;
  /** Of the names of its calls, for texts that are checked at the same time. */
  readonly prefix: string;
  /** What is remembered of the call of a flow with that name, until the execution ends. */
  readonly recall: (name: string) => CallMemory;
}

/**
 * Gives the text as the checks leave it; undefined while a flow that checks it is paused. Throws `guardrail.blocked`,
 * `guardrail.bad_answer`, and what a flow fails with.
 */
export type PassText = (side: Side, text: string, guarding: Guarding) => Promise<string | undefined>;
