// Retries calls of DynamoDB that meet a transaction of somebody else on the same item. The SDK does not: it takes a conflict for a mistake of
// the caller, as its status is 400. DynamoDB has done nothing then, so the same call may be sent again. No client here.
import { setTimeout } from 'node:timers/promises';
import { isTransientFailure } from '#lib/aws.ts';

/** A transaction takes some 10 ms. The pauses are 280 ms at most, so that a request is over in its time even where its rule tries again. */
const triesMax = 4;

/** Rejects with the last conflict after four tries; any other error passes at once. */
export async function retryOnConflict<T>(call: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await call();
    } catch (error) {
      if (tries === triesMax || !isConflict(error)) throw error;
    }
    await setTimeout(fullJitterMs(tries));
  }
}

/** A single write that meets a transaction, or a transaction that was canceled for reasons that pass. */
function isConflict(error: unknown): boolean {
  const name = error instanceof Error ? error.name : '';
  if (name === 'TransactionConflictException') return true;
  return name === 'TransactionCanceledException' && isTransientFailure(error);
}

/** A random part of 20 ms · 2ⁿ, so that those who met once do not meet again. `tries` counts from 1. */
export const fullJitterMs = (tries: number): number => Math.random() * 20 * 2 ** tries;
