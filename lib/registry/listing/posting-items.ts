// One read of one partition in its order, of an index or of postings. What is behind an item, and who may see
// it, is not known here.
import { controlTable } from '#lib/dynamo/client.ts';
import { queryPage } from '#lib/dynamo/query.ts';

export interface Partition {
  readonly index: 'gsi1' | 'gsi2' | 'gsi3' | 'postings';
  readonly key: string;
}

export interface Reading {
  readonly isDescending: boolean;
  /**
   * The position after which to begin. A condition rather than a start key, as the item there may be gone.
   */
  readonly after: string | undefined;
  /** Items at most; DynamoDB also stops at 1 MB. */
  readonly limit: number;
}

export interface ListedItem {
  readonly position: string;
  /** Undefined for a posting, which is nothing but its position. */
  readonly item: unknown;
}

/** An index lags behind writes by moments; postings are read as they are. */
export async function readPartition(
  { index, key }: Partition,
  { isDescending, after, limit }: Reading,
): Promise<{ found: ListedItem[]; isLast: boolean }> {
  const isPosting = index === 'postings';
  const [pk, sk] = isPosting ? ['pk', 'sk'] : [`${index}pk`, `${index}sk`];
  const { items, lastKey } = await queryPage(controlTable, {
    ...(isPosting ? { ConsistentRead: true } : { IndexName: index }),
    KeyConditionExpression: `#pk = :pk${after === undefined ? '' : ` AND #sk ${isDescending ? '<' : '>'} :after`}`,
    ExpressionAttributeNames: { '#pk': pk, ...(after !== undefined && { '#sk': sk }) },
    ExpressionAttributeValues: {
      ':pk': key,
      ...(after !== undefined && { ':after': isPosting && !isDescending ? pastPostings(after) : after }),
    },
    ScanIndexForward: !isDescending,
    Limit: limit,
  });
  const found = items.map((item) => {
    const sortKey = String(item[sk]);
    return isPosting
      ? { position: sortKey.slice(0, sortKey.lastIndexOf('#')), item: undefined }
      : { position: sortKey, item };
  });
  return { found, isLast: lastKey === undefined };
}

/**
 * Sorts after all postings of a row, whose keys are its position, `#` and the id of a write: `$` is the
 * character after `#`.
 */
const pastPostings = (position: string): string => `${position}$`;
