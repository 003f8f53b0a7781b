// The history item that goes with every change of a row, in the same transaction. Written once under the row's new version, never changed,
// and kept when the row is deleted.
import { mustNotExist } from '#lib/dynamo/conditions.ts';
import type { TransactionAction } from '#lib/dynamo/transactions.ts';
import { historyKey } from '../keys.ts';
import type { StoredRow } from '../stored-row.ts';
import type { HistoryAction } from './entry.ts';

export interface Change {
  readonly action: HistoryAction;
  /** Id of the credential. */
  readonly by: string;
  readonly from?: StoredRow['status'];
  readonly to?: StoredRow['status'];
  /** Of a row that went live: the one that was live before. */
  readonly demoted?: string | undefined;
  /** Of a row that was live: the one that is now. */
  readonly successor?: string | undefined;
  /** Members that differ from the version before. */
  readonly changed?: readonly string[];
  readonly request_id?: string | undefined;
}

/** `row` is as the change leaves it. */
export const historyPut = (
  row: Pick<StoredRow, 'a2aregistryid' | 'version' | 'updated_at'>,
  change: Change,
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
