// The two retries on a conflict with another writer. Where DynamoDB was in the middle of a transaction on the
// same item, the same call is sent again. Where a condition failed because the item has changed, the rule
// reads it again and tries with what it read.
import { isTransientFailure } from '#lib/aws.ts';
import { retry } from '#lib/retry.ts';

/**
 * Calls `attempt`, which reads, decides and writes, until it returns something; undefined when ten attempts
 * met other writers.
 */
export const retryOnConflict = async <T>(
  attempt: (n: number) => Promise<T | undefined>,
): Promise<T | undefined> => await retry(attempt, { triesMax: 10, pauseMs: 20, pauseMsMax: 400 });

/**
 * A transaction takes some 10 ms. The pauses are 280 ms at most, so that a request ends in time even where
 * its rule retries too.
 */
const resending = { triesMax: 4, pauseMs: 40 };

/**
 * Rejects with the last conflict after four attempts; any other error passes at once. The SDK does not retry
 * a conflict: its status is 400, which the SDK takes for a mistake of the caller. DynamoDB has done nothing
 * then, so the same call may be sent again.
 */
export async function resendOnConflict<T>(call: () => Promise<T>): Promise<T> {
  let conflict: unknown;
  const sent = await retry(async () => {
    try {
      return { result: await call() };
    } catch (error) {
      if (!isTransactionConflict(error)) throw error;
      conflict = error;
      return undefined;
    }
  }, resending);
  if (sent) return sent.result;
  throw conflict;
}

/** A single write that meets a transaction, or a transaction that was canceled for transient reasons. */
export function isTransactionConflict(error: unknown): boolean {
  const name = error instanceof Error ? error.name : '';
  if (name === 'TransactionConflictException') return true;
  return name === 'TransactionCanceledException' && isTransientFailure(error);
}
