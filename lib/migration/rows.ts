// Migrations of registry rows.
import { retryOnConflict } from '#lib/dynamo/retry-on-conflict.ts';
import { readRow } from '#lib/registry/row/row-items.ts';
import { type StoredRow, storedRow } from '#lib/registry/row/stored-row.ts';
import type { Job, Outcome } from './job.ts';

interface RowChange {
  readonly isNeeded: (row: StoredRow) => Promise<boolean> | boolean;
  /** False when the row is not the version that was read. */
  readonly write: (row: StoredRow) => Promise<boolean>;
}

/** A row that was changed in the meantime is read again. */
export const rowJob = (change: RowChange): Job => ({
  items: {
    IndexName: 'gsi1',
    FilterExpression: 'sk = :meta AND begins_with(pk, :agent)',
    ExpressionAttributeValues: { ':meta': 'META', ':agent': 'AGENT#' },
  },
  rewrite: async (item) => {
    const found = storedRow.parse(item);
    const outcome = await retryOnConflict(async (n) =>
      rewriteRow(n === 0 ? found : await readRow(found.a2aregistryid), change),
    );
    if (outcome) return outcome;
    throw new Error('Other changes of the row were faster.');
  },
});

async function rewriteRow(
  row: StoredRow | undefined,
  { isNeeded, write }: RowChange,
): Promise<Outcome | undefined> {
  if (!row) return 'gone';
  if (!(await isNeeded(row))) return 'current';
  return (await write(row)) ? 'changed' : undefined;
}
