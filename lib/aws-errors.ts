// Shared words of the DynamoDB stores: what failed conditions and canceled transactions say, by the shape of the error. No client here.

interface Reason {
  readonly code: string;
  /** The item that failed the condition, marshalled, when ALL_OLD was asked for. */
  readonly item: Readonly<Record<string, unknown>> | undefined;
}

/** The reasons, one per action in order, of a transaction that was canceled; undefined for any other error. */
export function cancellationReasons(error: unknown): readonly Reason[] | undefined {
  if (
    !(error instanceof Error) ||
    error.name !== 'TransactionCanceledException' ||
    !('CancellationReasons' in error)
  )
    return undefined;
  const reasons = error.CancellationReasons;
  if (!Array.isArray(reasons)) return undefined;
  return reasons.map((reason: { Code?: string; Item?: Record<string, unknown> }) => ({
    code: reason.Code ?? 'None',
    item: reason.Item,
  }));
}

/**
 * The reasons of a transaction that lost to other writers: a condition that does not hold, or a conflict with a transaction that is under way.
 * Who reads again may then do better. Undefined for any other error, such as throttling or an item that is too large.
 */
export function conflictReasons(error: unknown): readonly Reason[] | undefined {
  const reasons = cancellationReasons(error);
  const isLost = reasons?.some(
    ({ code }) => code === 'ConditionalCheckFailed' || code === 'TransactionConflict',
  );
  return isLost && !isRefusedForGood(error) ? reasons : undefined;
}

/** A string attribute of a marshalled item. */
export function stringOf(item: Reason['item'], name: string): string | undefined {
  const value = item?.[name];
  return typeof value === 'object' && value !== null && 'S' in value && typeof value.S === 'string'
    ? value.S
    : undefined;
}

/** A number attribute of a marshalled item. */
export function numberOf(item: Reason['item'], name: string): number | undefined {
  const value = item?.[name];
  return typeof value === 'object' && value !== null && 'N' in value && typeof value.N === 'string'
    ? Number(value.N)
    : undefined;
}

export const failedCondition = (reason: Reason | undefined): boolean =>
  reason?.code === 'ConditionalCheckFailed';

/** The table will never take this call, however often it is made: most often an item that is too large (400 KB). */
export function isRefusedForGood(error: unknown): boolean {
  if (error instanceof Error && error.name === 'ValidationException') return true;
  return cancellationReasons(error)?.some(({ code }) => refusals.has(code)) ?? false;
}

const refusals: ReadonlySet<string> = new Set(['ValidationError', 'ItemCollectionSizeLimitExceeded']);

/** False when the condition of a single write does not hold. */
export async function unlessConditionFails(call: Promise<unknown>): Promise<boolean> {
  try {
    await call;
    return true;
  } catch (error) {
    if (error instanceof Error && error.name === 'ConditionalCheckFailedException') return false;
    throw error;
  }
}
