// Reads the errors of canceled DynamoDB transactions, by the shape of the error. It imports no client.

export interface CancellationReason {
  readonly code: string;
  /** The item that failed the condition, marshalled, when ALL_OLD was asked for. */
  readonly item: Readonly<Record<string, unknown>> | undefined;
}

/**
 * The reasons, one per action in order, of a transaction that was canceled; undefined for any other error.
 */
export function cancellationReasons(error: unknown): readonly CancellationReason[] | undefined {
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
 * True when the table will never accept this call, however often it is made: most often because an item is
 * too large (400 KB).
 */
export function isRefusedForGood(error: unknown): boolean {
  if (error instanceof Error && error.name === 'ValidationException') return true;
  return cancellationReasons(error)?.some(({ code }) => permanentCodes.has(code)) ?? false;
}

const permanentCodes: ReadonlySet<string> = new Set(['ValidationError', 'ItemCollectionSizeLimitExceeded']);
