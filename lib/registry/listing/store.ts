// One read of one partition of an index, in its order. What is behind an item, and who may see it, is not known here.
import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { requireEnv } from '#lib/env.ts';
import { documents } from '#lib/store.ts';

export interface Partition {
  readonly index: 'gsi1' | 'gsi2';
  readonly key: string;
}

export interface Reading {
  readonly partition: Partition;
  readonly isDescending: boolean;
  /** Sort key of the index behind which to begin. A condition rather than a start key, as the item there may be gone. */
  readonly after: string | undefined;
  /** Items at most; DynamoDB also stops at 1 MB. */
  readonly limit: number;
  /** Where the read before ended. */
  readonly start: Record<string, unknown> | undefined;
}

/** From an index that lags behind writes by moments. */
export async function readItems({ partition, isDescending, after, limit, start }: Reading) {
  const { Items = [], LastEvaluatedKey } = await documents.send(
    new QueryCommand({
      TableName: requireEnv('CONTROL_TABLE'),
      IndexName: partition.index,
      KeyConditionExpression: `#pk = :pk${after === undefined ? '' : ` AND #sk ${isDescending ? '<' : '>'} :after`}`,
      ExpressionAttributeNames: {
        '#pk': `${partition.index}pk`,
        ...(after !== undefined && { '#sk': `${partition.index}sk` }),
      },
      ExpressionAttributeValues: { ':pk': partition.key, ...(after !== undefined && { ':after': after }) },
      ScanIndexForward: !isDescending,
      Limit: limit,
      ExclusiveStartKey: start,
    }),
  );
  return { items: Items, next: LastEvaluatedKey };
}
