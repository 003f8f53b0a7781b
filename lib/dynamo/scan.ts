// Scans, for work on all items of a kind, of whichever organisation. No request may cause one: it reads the whole
// index.
import { ScanCommand, type ScanCommandInput } from '@aws-sdk/lib-dynamodb';
import { type Table, tableName } from './client.ts';
import type { Item } from './items.ts';

interface ScanPage {
  readonly items: Item[];
  /** Where the next page begins; undefined for the last one. */
  readonly lastKey: Item | undefined;
}

/** One call. A page that has no items is not the last one, only one without a `lastKey` is. */
export async function scanPage(table: Table, scan: Omit<ScanCommandInput, 'TableName'>): Promise<ScanPage> {
  const { Items = [], LastEvaluatedKey } = await table.client.send(
    new ScanCommand({ TableName: tableName(table), ...scan }),
  );
  return { items: Items, lastKey: LastEvaluatedKey };
}
