// Runs scopes beside each other, at most so many at once. What a container makes of their ends does not depend on which is faster.

import type { Paused, RunningScope, ScopeEnd } from '../engine/node-context.ts';
import { NodeError } from '../format/node-error.ts';

export interface Gathering {
  readonly count: number;
  /** How many may be under way at once. One that stands still, such as with a question, is under way. */
  readonly width: number;
  /** Of those that have ended before, so that what they made needless does not begin anew. */
  readonly ended: (index: number) => ScopeEnd | undefined;
  readonly enter: (index: number) => RunningScope;
  /** Forgets one that stands still, and what it asks. */
  readonly drop: (index: number) => void;
  /** Which of the others are still of use once one has ended so. */
  readonly needs: (end: ScopeEnd) => 'all' | 'earlier' | 'none';
}

export interface Gathered {
  /** By index; undefined for those that nobody needed. */
  readonly ends: readonly (ScopeEnd | undefined)[];
  /** The one after which no other was needed. */
  readonly last: number | undefined;
}

/** Settles when all that is needed has ended or stands still, and all else has stopped. */
export async function gather({ count, width, ended, enter, drop, needs }: Gathering): Promise<Gathered> {
  const ends = Array.from({ length: count }, (_, index) => ended(index));
  const open = new Map<number, RunningScope>();
  const failure: { thrown?: { readonly error: unknown } } = {};
  let next = 0;
  let bound = count;
  let last: number | undefined;

  const narrow = (to: number) => {
    bound = Math.min(bound, to);
    for (const [index, inner] of open) if (index >= bound) inner.cancel();
  };
  const judge = (index: number, end: ScopeEnd) => {
    const needed = needs(end);
    if (needed === 'all') return;
    if (needed === 'none') last ??= index;
    narrow(needed === 'none' ? 0 : index);
    dropNeedless();
  };
  /** Those behind a failure that stand still, in this invocation or since one before: at once, because what they ask keeps others from sleeping. */
  const dropNeedless = () => {
    for (let index = bound; index < count; index++) {
      if (open.has(index) || (ends[index] && !isStanding(ends[index]))) continue;
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
    judge(index, end);
    return end;
  };
  const work = async () => {
    while (next < bound) {
      const index = next++;
      if (ends[index]) continue;
      try {
        const { status } = await one(index);
        if (status === 'paused') return;
      } catch (error) {
        open.delete(index);
        failure.thrown ??= { error };
        narrow(0);
      }
    }
  };
  for (const [index, end] of ends.entries()) if (end) judge(index, end);
  await Promise.all(Array.from({ length: Math.min(width, count) }, work));
  if (failure.thrown) throw failure.thrown.error;
  dropNeedless();
  return { ends, last };
}

const inside: Paused = { pause: { kind: 'inside' } };

const isStanding = (end: ScopeEnd | undefined) => end?.status === 'paused' || end?.status === 'yielded';

/** The pause, while one of them has not come to its end. */
export const standing = (ends: Gathered['ends']): Paused | undefined =>
  ends.some(isStanding) ? inside : undefined;

/** The error of the first that failed, in their order and not in that of time: none, while one before it may still fail. */
export function firstFailure(
  ends: Gathered['ends'],
  nameOf: (index: number) => string,
): NodeError | undefined {
  for (const [index, end] of ends.entries()) {
    if (isStanding(end)) return undefined;
    if (end?.status !== 'failed') continue;
    const { code, message, nodeId, cause } = end.error;
    return new NodeError(code, `${nameOf(index)}: ${message}`, { nodeId, cause });
  }
  return undefined;
}

/** An error as expressions see it. */
export const errorValue = ({ code, message }: NodeError) => ({ code, message });
