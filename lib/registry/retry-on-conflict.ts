// What to do when others write the same items: wait a random moment that grows, a bounded number of times.
import { setTimeout } from 'node:timers/promises';

/** Tries `attempt` until it returns something; full jitter of 10 ms · 2ⁿ, at most 400 ms, between tries. Undefined when all were in vain. */
export async function contend<T>(
  attempt: (n: number) => Promise<T | undefined>,
  triesMax = 10,
): Promise<T | undefined> {
  for (let n = 0; n < triesMax; n += 1) {
    if (n > 0) await setTimeout(Math.random() * Math.min(400, 10 * 2 ** n));
    const outcome = await attempt(n);
    if (outcome !== undefined) return outcome;
  }
  return undefined;
}
