// Gives a row that was written before the list index what lists find it by.
import { controlTable } from '#lib/dynamo/client.ts';
import { updateItemIf } from '#lib/dynamo/items.ts';
import { listPosition, rowKey, statusIndex } from '../row/row-items.ts';
import { rowFormat, type StoredRow } from '../row/stored-row.ts';
import { removePostings, revise, writePostings } from './postings.ts';

/**
 * False when the row is not the version that was read. The version stays, because callers see no difference. An update
 * that has read the row before replaces it with postings of its own; the ones written here are then without a row, and
 * lists skip them.
 */
export async function indexRow(row: StoredRow): Promise<boolean> {
  const { postings, added, dropped } = revise(row.postings ?? {}, row);
  await writePostings(row, added);
  const isWritten = await updateItemIf(controlTable, rowKey(row.a2aregistryid), {
    UpdateExpression: 'SET gsi3pk = :index, gsi3sk = :position, postings = :postings, #format = :format',
    ConditionExpression: 'version = :seen',
    ExpressionAttributeNames: { '#format': 'format' },
    ExpressionAttributeValues: {
      ':index': statusIndex(row.orgid, row.workspaceid, row.status),
      ':position': listPosition(row),
      ':postings': postings,
      ':format': rowFormat,
      ':seen': row.version,
    },
  });
  await removePostings(row, isWritten ? dropped : added);
  return isWritten;
}
