// Where the search documents of the control table are. A partition is what one reader may see: own live
// agents, own builds, all public ones.
import type { StoredRow } from '../stored-row.ts';

type Place = Pick<StoredRow, 'a2aregistryid' | 'orgid' | 'workspaceid' | 'flowid'>;

export const publicPartition = 'SEARCH#PUBLIC';
export const livePartition = (orgid: string) => `SEARCH#LIVE#${orgid}`;
export const buildPartition = (orgid: string) => `SEARCH#BUILD#${orgid}`;

/**
 * One place per flow and workspace: a promotion overwrites the document of the build that was live before,
 * without knowing it.
 */
export const liveKey = (row: Place) => ({
  pk: livePartition(row.orgid),
  sk: `${row.workspaceid}#${row.flowid}`,
});
export const publicKey = (row: Place) => ({
  pk: publicPartition,
  sk: `${row.orgid}#${row.workspaceid}#${row.flowid}`,
});
export const buildKey = (row: Place) => ({ pk: buildPartition(row.orgid), sk: row.a2aregistryid });
