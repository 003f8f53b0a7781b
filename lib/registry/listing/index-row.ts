// Gives a row that an earlier version has written what lists and the search find it by.
import { controlTable } from '#lib/dynamo/client.ts';
import { transactWrite } from '#lib/dynamo/transactions.ts';
import { showInIndexes } from '../row/live-flow.ts';
import { listPosition, rowKey, statusIndex } from '../row/row-items.ts';
import { rowFormat, type StoredRow } from '../row/stored-row.ts';
import { removeLivePostings, reviseLive, writeLivePostings } from '../search-index/live-postings.ts';
import { type Postings, removePostings, revise, writePostings } from './postings.ts';

/**
 * False when the row is not the version that was read. The version stays, because callers see no difference. An update
 * that has read the row before replaces it with postings of its own; the ones written here are then without a row, and
 * lists and the search skip them.
 */
export async function indexRow(row: StoredRow): Promise<boolean> {
  const { postings, added, dropped } = revise(row.postings ?? {}, row);
  const live = row.status === 'live' ? reviseLive(row, row) : undefined;
  await Promise.all([writePostings(row, added), live && writeLivePostings(live.added)]);
  const indexed = { ...row, postings, search_id: live?.search_id ?? row.search_id };
  const isWritten = (await transactWrite(controlTable, toActions(indexed))) === undefined;
  await Promise.all([
    removePostings(row, isWritten ? dropped : added),
    live && removeLivePostings(isWritten ? live.dropped : live.added),
  ]);
  return isWritten;
}

const toActions = (row: StoredRow & { readonly postings: Postings }) => [
  {
    Update: {
      Key: rowKey(row.a2aregistryid),
      UpdateExpression: `SET gsi3pk = :index, gsi3sk = :position, postings = :postings, #format = :format${row.search_id === undefined ? '' : ', search_id = :search'}`,
      ConditionExpression: 'version = :seen',
      ExpressionAttributeNames: { '#format': 'format' },
      ExpressionAttributeValues: {
        ':index': statusIndex(row.orgid, row.workspaceid, row.status),
        ':position': listPosition(row),
        ':postings': row.postings,
        ':format': rowFormat,
        ':seen': row.version,
        ...(row.search_id !== undefined && { ':search': row.search_id }),
      },
    },
  },
  ...(row.status === 'live' ? [showInIndexes(row)] : []),
];
