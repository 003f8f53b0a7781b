// Reads a whole table in segments, bounded in memory: a page of each segment, and the partition that it ends with.
import type { Table } from '#lib/dynamo/client.ts';
import { controlTable, runsTable } from '#lib/dynamo/client.ts';
import type { Item } from '#lib/dynamo/items.ts';
import { queryAll } from '#lib/dynamo/query.ts';
import { scanPage } from '#lib/dynamo/scan.ts';
import type { ItemKey, TableName } from './kind.ts';

export const tables: Readonly<Record<TableName, Table>> = { control: controlTable, runs: runsTable };

export type StoredItem = Item & ItemKey;

/** Items that belong together: those of a row or of a run; of other partitions, one item. */
export interface Group {
  readonly table: TableName;
  readonly items: readonly StoredItem[];
}

export interface Page {
  readonly groups: readonly Group[];
  /** The last item of the groups, after which a later read continues; undefined at the end of the segment. */
  readonly cursor: ItemKey | undefined;
}

export interface Segment {
  readonly table: TableName;
  readonly segment: number;
  readonly of: number;
}

/** Rows and runs are bounded in size; a partition such as that of a list is not. */
const isWhole = (pk: string): boolean => /^(RUN|AGENT)#/.test(pk);

/**
 * The groups of a segment, page by page. DynamoDB returns the items of a partition one after the other; what is left of
 * one at the end of a page is read with the next.
 */
export async function* readSegment(
  { table, segment, of }: Segment,
  after: ItemKey | undefined,
): AsyncGenerator<Page, void> {
  let start: Item | undefined = after && { ...after };
  let open: StoredItem[] = [];
  do {
    const { items, lastKey } = await scanPage(tables[table], {
      ...(of > 1 && { Segment: segment, TotalSegments: of }),
      ConsistentRead: true,
      ExclusiveStartKey: start,
    });
    const groups = toGroups(table, [...open, ...items.map(toStored)]);
    const last = groups.at(-1);
    open = lastKey && last && isWhole(last.items[0]?.pk ?? '') ? [...last.items] : [];
    const whole = open.length > 0 ? groups.slice(0, -1) : groups;
    const end = whole.at(-1)?.items.at(-1);
    if (whole.length > 0 || !lastKey) yield { groups: whole, cursor: lastKey && end && keyOf(end) };
    start = lastKey;
  } while (start);
}

export const toStored = (item: Item): StoredItem => ({ ...item, pk: String(item.pk), sk: String(item.sk) });
export const keyOf = ({ pk, sk }: ItemKey): ItemKey => ({ pk, sk });

function toGroups(table: TableName, items: readonly StoredItem[]): Group[] {
  const groups: { table: TableName; items: StoredItem[] }[] = [];
  for (const item of items) {
    const last = groups.at(-1);
    if (last && isWhole(item.pk) && last.items[0]?.pk === item.pk) last.items.push(item);
    else groups.push({ table, items: [item] });
  }
  return groups;
}

/** The same group as it is now; without items if they are gone. */
export async function readAgain({ table, items: [first] }: Group): Promise<Group> {
  if (!first) return { table, items: [] };
  const one = isWhole(first.pk) ? '' : ' AND sk = :sk';
  const items = await queryAll(tables[table], {
    KeyConditionExpression: `pk = :pk${one}`,
    ExpressionAttributeValues: { ':pk': first.pk, ...(one && { ':sk': first.sk }) },
    ConsistentRead: true,
  });
  return { table, items: items.map(toStored) };
}

/** The bytes of chunks among items; undefined when one is missing. */
export function collectChunks(
  items: readonly StoredItem[],
  prefix: string,
  count: number,
): Uint8Array | undefined {
  const chunks = items.flatMap(({ sk, bytes }) =>
    sk.startsWith(prefix) && bytes instanceof Uint8Array ? [bytes] : [],
  );
  return chunks.length === count ? Buffer.concat(chunks) : undefined;
}
