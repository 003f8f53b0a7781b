// The history items of a row. One is put with every change, in the same transaction: written once under the
// row's new version, never changed, and kept when the row is deleted.
import { controlTable } from '#lib/dynamo/client.ts';
import { mustNotExist } from '#lib/dynamo/conditions.ts';
import { queryFirst } from '#lib/dynamo/query.ts';
import type { TransactionAction } from '#lib/dynamo/transactions.ts';
import { historyKey } from '../row/row-items.ts';
import type { StoredRow } from '../row/stored-row.ts';
import { type HistoryAction, type HistoryEntry, storedHistoryEntry } from './entry.ts';

export interface RowChange {
  readonly action: HistoryAction;
  /** Id of the credential. */
  readonly by: string;
  readonly from?: StoredRow['status'];
  readonly to?: StoredRow['status'];
  /** For a row that went live: the one that was live before. */
  readonly demoted?: string | undefined;
  /** For a row that was live: the one that is now. */
  readonly successor?: string | undefined;
  /** Members that differ from the version before. */
  readonly changed?: readonly string[];
  readonly request_id?: string | undefined;
}

/** `row` is as the change leaves it. */
export const historyPut = (
  row: Pick<StoredRow, 'a2aregistryid' | 'version' | 'updated_at'>,
  change: RowChange,
): TransactionAction => ({
  Put: {
    Item: {
      ...historyKey(row.a2aregistryid, row.version),
      version: row.version,
      ...change,
      at: row.updated_at,
    },
    ...mustNotExist,
  },
});

/** Newest first. Entries are small, so a page of 200 is one call. */
export async function queryHistory(
  id: string,
  beforeVersion: number,
  limit: number,
): Promise<HistoryEntry[]> {
  const items = await queryFirst(
    controlTable,
    {
      KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :last',
      ExpressionAttributeValues: {
        ':pk': historyKey(id, 0).pk,
        ':first': historyKey(id, 0).sk,
        ':last': historyKey(id, beforeVersion - 1).sk,
      },
      ConsistentRead: true,
      ScanIndexForward: false,
    },
    limit,
  );
  return items.map((item) => storedHistoryEntry.parse(item));
}
