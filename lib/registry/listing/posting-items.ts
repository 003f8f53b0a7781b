// One read of one partition in its order, of an index or of postings. What is behind an item, and who may see
// it, is not known here.
import { controlTable } from '#lib/dynamo/client.ts';
import { queryPage } from '#lib/dynamo/query.ts';

export interface Partition {
  readonly index: 'gsi1' | 'gsi2' | 'gsi3' | 'postings';
  readonly key: string;
  /** With which the sort keys of a posting begin, before the position; empty where the partition has one value. */
  readonly prefix?: string;
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
  partition: Partition,
  reading: Reading,
): Promise<{ found: ListedItem[]; isLast: boolean }> {
  const { index, key, prefix = '' } = partition;
  const isPosting = index === 'postings';
  const [pk, sk] = isPosting ? ['pk', 'sk'] : [`${index}pk`, `${index}sk`];
  const range = toRange(partition, reading);
  const { items, lastKey } = await queryPage(controlTable, {
    ...(isPosting ? { ConsistentRead: true } : { IndexName: index }),
    KeyConditionExpression: `#pk = :pk${range ? ` AND ${range.condition}` : ''}`,
    ExpressionAttributeNames: { '#pk': pk, ...(range && { '#sk': sk }) },
    ExpressionAttributeValues: { ':pk': key, ...range?.values },
    ScanIndexForward: !reading.isDescending,
    Limit: reading.limit,
  });
  const found = items.map((item) => {
    const sortKey = String(item[sk]);
    return isPosting
      ? { position: sortKey.slice(prefix.length, sortKey.lastIndexOf('#')), item: undefined }
      : { position: sortKey, item };
  });
  return { found, isLast: lastKey === undefined };
}

/** The part of the partition that is left to read; undefined for all of it. */
function toRange({ index, prefix = '' }: Partition, { isDescending, after }: Reading) {
  const start = after !== undefined && index === 'postings' && !isDescending ? pastPostings(after) : after;
  if (prefix === '')
    return start === undefined
      ? undefined
      : { condition: `#sk ${isDescending ? '<' : '>'} :after`, values: { ':after': start } };
  if (start === undefined) return { condition: 'begins_with(#sk, :prefix)', values: { ':prefix': prefix } };
  // Both ends belong to the range. No posting has either of them as its key: positions begin with a digit.
  const values = isDescending
    ? { ':from': prefix, ':to': `${prefix}${start}` }
    : { ':from': `${prefix}${start}`, ':to': `${prefix}:` };
  return { condition: '#sk BETWEEN :from AND :to', values };
}

/**
 * Sorts after all postings of a row, whose keys are its position, `#` and the id of a write: `$` is the
 * character after `#`.
 */
const pastPostings = (position: string): string => `${position}$`;
