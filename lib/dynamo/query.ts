// Queries. DynamoDB reads a megabyte at a time, before it filters: a page that is shorter than its limit is
// not the last one, only one without a `LastEvaluatedKey` is.
import { QueryCommand, type QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import { type Table, tableName } from './client.ts';
import type { Item } from './items.ts';

type Query = Omit<QueryCommandInput, 'TableName'>;

interface QueryPage {
  readonly items: Item[];
  /** Where the next page begins; undefined for the last one. */
  readonly lastKey: Item | undefined;
}

/** One call. */
export async function queryPage(table: Table, query: Query): Promise<QueryPage> {
  const { Items = [], LastEvaluatedKey } = await table.client.send(
    new QueryCommand({ TableName: tableName(table), ...query }),
  );
  return { items: Items, lastKey: LastEvaluatedKey };
}

/**
 * Page by page, and no further than the reader asks: `count` items at most, which then is the limit of each
 * page too.
 */
export async function* queryPages(
  table: Table,
  query: Query,
  count = Number.POSITIVE_INFINITY,
): AsyncGenerator<Item[], void> {
  let left = count;
  let start = query.ExclusiveStartKey;
  do {
    const limit = Number.isFinite(left) ? { Limit: left } : {};
    const { items, lastKey } = await queryPage(table, { ...query, ...limit, ExclusiveStartKey: start });
    yield items;
    left -= items.length;
    start = lastKey;
  } while (start && left > 0);
}

/** The first items that a query finds: `count`, unless there are no more. */
export async function queryFirst(table: Table, query: Omit<Query, 'Limit'>, count: number): Promise<Item[]> {
  const found: Item[] = [];
  for await (const items of queryPages(table, query, count)) found.push(...items);
  return found;
}

/** How many items a query finds among the first `readMax` that it reads: one call for each megabyte. */
export async function queryCount(
  table: Table,
  query: Omit<Query, 'Limit' | 'Select'>,
  readMax: number,
): Promise<number> {
  let count = 0;
  let left = readMax;
  let start = query.ExclusiveStartKey;
  do {
    const page = { ...query, Select: 'COUNT', Limit: left, ExclusiveStartKey: start } as const;
    const {
      Count = 0,
      ScannedCount = 0,
      LastEvaluatedKey,
    } = await table.client.send(new QueryCommand({ TableName: tableName(table), ...page }));
    count += Count;
    left -= ScannedCount;
    start = LastEvaluatedKey;
  } while (start && left > 0);
  return count;
}

/** All items that a query finds: one call for each megabyte. */
export const queryAll = async (table: Table, query: Omit<Query, 'Limit'>): Promise<Item[]> =>
  await queryFirst(table, query, Number.POSITIVE_INFINITY);
