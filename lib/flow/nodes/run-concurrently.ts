// Runs scopes beside each other, at most so many at once. What a container makes of their ends does not depend on which is faster.

import type { Paused, RunningScope, ScopeEnd } from '../engine/node-context.ts';
import { NodeError } from '../format/node-error.ts';

export interface ConcurrentScopes {
  readonly count: number;
  /** How many may be under way at once. One that is paused, such as with a question, counts. */
  readonly width: number;
  /** How a scope ended before now, so that those it made needless do not begin anew. */
  readonly ended: (index: number) => ScopeEnd | undefined;
  readonly enter: (index: number) => RunningScope;
  /** Forgets one that is paused, and its question. */
  readonly drop: (index: number) => void;
  /** Which of the others are still of use once one has ended so. */
  readonly needs: (end: ScopeEnd) => 'all' | 'earlier' | 'none';
}

export interface ConcurrentEnds {
  /** By index; undefined for those that nobody needed. */
  readonly ends: readonly (ScopeEnd | undefined)[];
  /** The one after which no other was needed. */
  readonly last: number | undefined;
}

/** Settles when all that is needed has ended or is paused, and all else has stopped. */
export async function runConcurrently(scopes: ConcurrentScopes): Promise<ConcurrentEnds> {
  const { count, width, ended, enter, drop, needs } = scopes;
  const ends = Array.from({ length: count }, (_, index) => ended(index));
  const open = new Map<number, RunningScope>();
  const failure: { thrown?: { readonly error: unknown } } = {};
  let next = 0;
  let bound = count;
  let last: number | undefined;

  const cancelFrom = (to: number) => {
    bound = Math.min(bound, to);
    for (const [index, inner] of open) if (index >= bound) inner.cancel();
  };
  const applyEnd = (index: number, end: ScopeEnd) => {
    const needed = needs(end);
    if (needed === 'all') return;
    if (needed === 'none') last ??= index;
    cancelFrom(needed === 'none' ? 0 : index);
    dropUnneeded();
  };
  /** Drops paused scopes behind a failure at once, also those of earlier invocations: their questions keep other scopes from sleeping. */
  const dropUnneeded = () => {
    for (let index = bound; index < count; index++) {
      if (open.has(index) || (ends[index] && !isPaused(ends[index]))) continue;
      drop(index);
      ends[index] = undefined;
    }
  };
  const one = async (index: number) => {
    const inner = enter(index);
    open.set(index, inner);
    const end = await inner.end;
    open.delete(index);
    ends[index] = end;
    applyEnd(index, end);
    return end;
  };
  const runNext = async () => {
    while (next < bound) {
      const index = next++;
      if (ends[index]) continue;
      try {
        const { status } = await one(index);
        if (status === 'paused') return;
      } catch (error) {
        open.delete(index);
        failure.thrown ??= { error };
        cancelFrom(0);
      }
    }
  };
  for (const [index, end] of ends.entries()) if (end) applyEnd(index, end);
  await Promise.all(Array.from({ length: Math.min(width, count) }, runNext));
  if (failure.thrown) throw failure.thrown.error;
  dropUnneeded();
  return { ends, last };
}

const inside: Paused = { pause: { kind: 'inside' } };

const isPaused = (end: ScopeEnd | undefined) => end?.status === 'paused' || end?.status === 'yielded';

/** The pause, while one of them has not come to its end. */
export const pausedIfAny = (ends: ConcurrentEnds['ends']): Paused | undefined =>
  ends.some(isPaused) ? inside : undefined;

/** The error of the first that failed, in their order and not in that of time: none, while one before it may still fail. */
export function firstFailure(
  ends: ConcurrentEnds['ends'],
  nameOf: (index: number) => string,
): NodeError | undefined {
  for (const [index, end] of ends.entries()) {
    if (isPaused(end)) return undefined;
    if (end?.status !== 'failed') continue;
    const { code, message, nodeId, cause } = end.error;
    return new NodeError(code, `${nameOf(index)}: ${message}`, { nodeId, cause });
  }
  return undefined;
}

/** An error as expressions see it. */
export const errorValue = ({ code, message }: NodeError) => ({ code, message });
