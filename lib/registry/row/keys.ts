// Keys of the control table's registry items. Every partition and index key that serves a list carries the
// organisation, so a query can only ever see the caller's own.

export const rowKey = (id: string) => ({ pk: `AGENT#${id}`, sk: 'META' });
export const historyKey = (id: string, version: number) => ({
  pk: `AGENT#${id}`,
  sk: `HISTORY#${String(version).padStart(8, '0')}`,
});
export const flowPartition = (flowid: string) => `FLOW#${flowid}`;
export const flowKey = (flowid: string, orgid: string, workspaceid: string) => ({
  pk: flowPartition(flowid),
  sk: `${flowsOfOrg(orgid)}${workspaceid}`,
});
const flowsOfOrg = (orgid: string) => `WS#${orgid}#`;
export const ownerKey = (flowid: string) => ({ pk: flowPartition(flowid), sk: 'OWNER' });
export const workspaceIndex = (orgid: string, workspaceid: string) => `WS#${orgid}#${workspaceid}`;
export const flowIndex = (orgid: string, workspaceid: string, flowid: string) =>
  `WS#${orgid}#${workspaceid}#FLOW#${flowid}`;
/**
 * Depends on nothing of the row but its status, so a promotion can set it on the build that it demotes
 * without having read that.
 */
export const statusIndex = (orgid: string, workspaceid: string, status: 'test' | 'live') =>
  `WS#${orgid}#${workspaceid}#STATUS#${status}`;
/**
 * The rows that have a value which lists filter by; `value` includes its kind. A partition of the table, not
 * of an index.
 */
export const postingPartition = (orgid: string, workspaceid: string, value: string) =>
  `WS#${orgid}#${workspaceid}#${value}`;
export const flowsIndex = (orgid: string, workspaceid: string) => `WSFLOWS#${orgid}#${workspaceid}`;
