// Runs a bounded number of child scopes concurrently. The result of the node does not depend on which of them
// is faster.

import type { Paused, RunningScope, ScopeEnd } from '../engine/node-context.ts';
import { NodeError } from '../format/node-error.ts';

export interface ConcurrentScopes {
  readonly count: number;
  /** How many may be open at once. A paused scope counts. */
  readonly width: number;
  /** How a scope ended earlier, so that scopes that became unnecessary do not begin again. */
  readonly ended: (index: number) => ScopeEnd | undefined;
  readonly enter: (index: number) => RunningScope;
  /** Discards a paused scope and its question. */
  readonly drop: (index: number) => void;
  /** The scopes before this index are still needed after that end: 0 for none of them, infinity for all. */
  readonly neededBefore: (end: ScopeEnd, index: number) => number;
}

export interface ConcurrentEnds {
  /** By index; undefined for scopes that became unnecessary. */
  readonly ends: readonly (ScopeEnd | undefined)[];
  /** Index of the scope whose end made all others unnecessary. */
  readonly last: number | undefined;
}

/** Settles when all needed scopes have ended or are paused, and all others have stopped. */
export async function runConcurrently(scopes: ConcurrentScopes): Promise<ConcurrentEnds> {
  const { count, width, ended, enter, drop, neededBefore } = scopes;
  const ends = Array.from({ length: count }, (_, index) => ended(index));
  const open = new Map<number, RunningScope>();
  const failure: { thrown?: { readonly error: unknown } } = {};
  let next = 0;
  let bound = count;
  let last: number | undefined;

  const cancelFrom = (to: number) => {
    bound = Math.min(bound, to);
    for (const [index, scope] of open) if (index >= bound) scope.cancel();
  };
  const applyEnd = (index: number, end: ScopeEnd) => {
    const needed = neededBefore(end, index);
    if (needed >= bound) return;
    if (needed === 0) last ??= index;
    cancelFrom(needed);
    dropUnneeded();
  };
  /**
   * Drops paused scopes after the failed one at once, including those of earlier invocations, because an open
   * question ends the sleeps of other scopes.
   */
  const dropUnneeded = () => {
    for (let index = bound; index < count; index++) {
      if (open.has(index) || (ends[index] && !isPaused(ends[index]))) continue;
      drop(index);
      ends[index] = undefined;
    }
  };
  const runOne = async (index: number) => {
    const scope = enter(index);
    open.set(index, scope);
    const end = await scope.end;
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
        const { status } = await runOne(index);
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

/** The pause of the node while any of the scopes is paused. */
export const pausedIfAny = (ends: ConcurrentEnds['ends']): Paused | undefined =>
  ends.some(isPaused) ? inside : undefined;

/**
 * The error of the first scope that failed, by index and not by time. Undefined while an earlier scope may
 * still fail.
 */
export function firstFailure(
  ends: ConcurrentEnds['ends'],
  label: (index: number) => string,
): NodeError | undefined {
  for (const [index, end] of ends.entries()) {
    if (isPaused(end)) return undefined;
    if (end?.status !== 'failed') continue;
    const { code, message, nodeId, retryAfter, cause } = end.error;
    return new NodeError(code, `${label(index)}: ${message}`, { nodeId, retryAfter, cause });
  }
  return undefined;
}

/** The error in the form that expressions see. */
export const errorValue = ({ code, message }: NodeError) => ({ code, message });
