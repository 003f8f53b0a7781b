// Conditional writes that did not happen: the condition failed, or another transaction was at the same item.
// Judged by the shape of SDK errors.
import { type CancellationReason, cancellationReasons, isRefusedForGood } from '#lib/aws-errors.ts';

/** A condition with its names and values, as DynamoDB takes them. */
export interface Condition {
  readonly ConditionExpression: string;
  readonly ExpressionAttributeNames?: Record<string, string>;
  readonly ExpressionAttributeValues?: Record<string, unknown>;
}

export const mustExist: Condition = { ConditionExpression: 'attribute_exists(pk)' };
export const mustNotExist: Condition = { ConditionExpression: 'attribute_not_exists(pk)' };

/** An item in the form of DynamoDB's wire, such as `{ name: { S: 'text' } }`, in which errors carry it. */
export type MarshalledItem = Readonly<Record<string, unknown>>;

/** False when the condition of a single write failed. */
export async function succeedsUnlessConditionFails(call: Promise<unknown>): Promise<boolean> {
  try {
    await call;
    return true;
  } catch (error) {
    if (isFailedCondition(error)) return false;
    throw error;
  }
}

export const isFailedCondition = (error: unknown): boolean =>
  error instanceof Error && error.name === 'ConditionalCheckFailedException';

/**
 * What the item was that failed the condition of a single write with `ReturnValuesOnConditionCheckFailure:
 * 'ALL_OLD'`.
 */
export const itemOfFailedCondition = (error: unknown): MarshalledItem =>
  error instanceof Error && 'Item' in error && typeof error.Item === 'object' && error.Item !== null
    ? { ...error.Item }
    : {};

/**
 * The reasons of a transaction that lost to other writers: a condition that failed, or a conflict with a
 * transaction in progress. Reading again and trying again may help then. Undefined for any other error, such
 * as throttling or an item that is too large.
 */
export function conflictReasons(error: unknown): readonly CancellationReason[] | undefined {
  const reasons = cancellationReasons(error);
  const isLost = reasons?.some(
    ({ code }) => code === 'ConditionalCheckFailed' || code === 'TransactionConflict',
  );
  return isLost && !isRefusedForGood(error) ? reasons : undefined;
}

export const isFailedConditionReason = (reason: CancellationReason | undefined): boolean =>
  reason?.code === 'ConditionalCheckFailed';

/** A string attribute of a marshalled item. */
export function readString(item: MarshalledItem | undefined, name: string): string | undefined {
  const value = item?.[name];
  return typeof value === 'object' && value !== null && 'S' in value && typeof value.S === 'string'
    ? value.S
    : undefined;
}

/** A number attribute of a marshalled item. */
export function readNumber(item: MarshalledItem | undefined, name: string): number | undefined {
  const value = item?.[name];
  return typeof value === 'object' && value !== null && 'N' in value && typeof value.N === 'string'
    ? Number(value.N)
    : undefined;
}
