// Retries with random, growing pauses, so that concurrent callers do not collide again.
import { setTimeout } from 'node:timers/promises';

export interface Backoff {
  /** Attempts in all, the first one included. */
  readonly triesMax: number;
  /** The longest first pause, in ms; every further one is up to twice as long. */
  readonly pauseMs: number;
  readonly pauseMsMax?: number;
}

/**
 * Calls `attempt` until it returns something. `n` counts the attempts, from 0. Undefined when the last one
 * returned nothing either.
 */
export async function retry<T>(
  attempt: (n: number) => Promise<T | undefined>,
  backoff: Backoff,
): Promise<T | undefined> {
  for (let n = 0; n < backoff.triesMax; n += 1) {
    if (n > 0) await setTimeout(fullJitterMs(n - 1, backoff));
    const outcome = await attempt(n);
    if (outcome !== undefined) return outcome;
  }
  return undefined;
}

/** Full jitter: a random part of a pause that doubles. `n` counts the pauses, from 0. */
export const fullJitterMs = (
  n: number,
  { pauseMs, pauseMsMax = Number.POSITIVE_INFINITY }: Pick<Backoff, 'pauseMs' | 'pauseMsMax'>,
): number => Math.random() * Math.min(pauseMsMax, pauseMs * 2 ** n);
