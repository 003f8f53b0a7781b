// The one rule by which a run counts as failed though nobody has written its end: for all who look at it, list it or go on with it.
import { isFinal, isPaused, type StoredRun } from './stored-run.ts';

/** Whoever works on a run has written its end by then: an inline run's function is over, a queued run's engine stops at the deadline. */
export const graceMs = 20_000;

/** Nobody goes on with it. A run that waits for somebody has all the time there is. */
export const isAbandonedAt = (
  now: number,
  { status, deadline }: Pick<StoredRun, 'status' | 'deadline'>,
): boolean => !isFinal(status) && !isPaused(status) && deadline + graceMs < now;
