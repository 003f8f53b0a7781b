// The item of a row in the control table: the row itself, and its places in the indexes.
import * as keys from './keys.ts';
import type { StoredRow } from './stored-row.ts';

export const rowItem = (row: StoredRow) => ({
  ...keys.rowKey(row.a2aregistryid),
  gsi1pk: keys.workspaceIndex(row.orgid, row.workspaceid),
  gsi1sk: placeInOrder(row),
  gsi2pk: keys.flowIndex(row.orgid, row.workspaceid, row.flowid),
  gsi2sk: placeInOrder(row),
  gsi3pk: keys.statusIndex(row.orgid, row.workspaceid, row.status),
  gsi3sk: placeInOrder(row),
  ...row,
});

/** By which every list of rows is sorted, and which no two rows share. Never changes. */
export const placeInOrder = (row: Pick<StoredRow, 'a2aregistryid' | 'created_at'>): string =>
  `${row.created_at}#${row.a2aregistryid}`;

export const idAt = (place: string): string => place.slice(place.lastIndexOf('#') + 1);
