// The registry's items in the control table: their keys and how they are read. No rule about who may see what;
// the writes are in `change-items.ts`.
import { batchGet } from '#lib/dynamo/batch.ts';
import { controlTable } from '#lib/dynamo/client.ts';
import { getItem, type Key } from '#lib/dynamo/items.ts';
import { queryAll, queryPages } from '#lib/dynamo/query.ts';
import { transactGet } from '#lib/dynamo/transactions.ts';
import {
  rowFormat,
  type StoredFlow,
  type StoredOwner,
  type StoredRow,
  storedFlow,
  storedOwner,
  storedRow,
} from './stored-row.ts';

// Every partition and index key that serves a list carries the organisation, so a query can only ever see
// the caller's own items.

export const rowKey = (id: string) => ({ pk: `AGENT#${id}`, sk: 'META' });
export const historyKey = (id: string, version: number) => ({
  pk: `AGENT#${id}`,
  sk: `HISTORY#${String(version).padStart(8, '0')}`,
});
const flowPartition = (flowid: string) => `FLOW#${flowid}`;
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
export const flowsIndex = (orgid: string, workspaceid: string) => `WSFLOWS#${orgid}#${workspaceid}`;

/**
 * The flows that have a live build, by the id of that build, which sorts by time: those of an organisation in gsi2, those
 * whose live build is public in gsi3.
 */
export const liveFlowsIndex = (orgid: string) => `SEARCH#LIVE#${orgid}`;
export const publicFlowsIndex = 'SEARCH#PUBLIC';

/** The item of a row: the row itself, and its positions in the indexes. */
export const rowItem = (row: StoredRow) => ({
  ...rowKey(row.a2aregistryid),
  gsi1pk: workspaceIndex(row.orgid, row.workspaceid),
  gsi1sk: listPosition(row),
  gsi2pk: flowIndex(row.orgid, row.workspaceid, row.flowid),
  gsi2sk: listPosition(row),
  gsi3pk: statusIndex(row.orgid, row.workspaceid, row.status),
  gsi3sk: listPosition(row),
  ...row,
  signatures: row.signatures ?? unsigned,
  format: rowFormat,
});

/** A version of the service that signs cards before it stores rows reads no row without this attribute. */
const unsigned = {
  test: { protected: '', signature: '' },
  live: { protected: '', signature: '' },
} satisfies StoredRow['signatures'];

/** Every list of rows is sorted by it. It is unique to the row and never changes. */
export const listPosition = (row: Pick<StoredRow, 'a2aregistryid' | 'created_at'>): string =>
  `${row.created_at}#${row.a2aregistryid}`;

export const idAtPosition = (position: string): string => position.slice(position.lastIndexOf('#') + 1);

export async function readRow(id: string): Promise<StoredRow | undefined> {
  const item = await getItem(controlTable, rowKey(id));
  return item && storedRow.parse(item);
}

/** The rows that exist, by id, as they are now; at most `batchGetMax`. */
export async function readRows(ids: readonly string[]): Promise<Map<string, StoredRow>> {
  const items = await batchGet(controlTable, ids.map(rowKey), { ConsistentRead: true });
  const rows = items.map((item) => storedRow.parse(item));
  return new Map(rows.map((row) => [row.a2aregistryid, row]));
}

export async function readFlow(
  flowid: string,
  orgid: string,
  workspaceid: string,
): Promise<StoredFlow | undefined> {
  const item = await getItem(controlTable, flowKey(flowid, orgid, workspaceid));
  return item && storedFlow.parse(item);
}

/**
 * What a new build must know: the flow in its workspace, and who owns the short live URL. One call; undefined
 * when it meets a transaction.
 */
export async function readFlowAndOwner(flowid: string, orgid: string, workspaceid: string) {
  const items = await transactGet(controlTable, [flowKey(flowid, orgid, workspaceid), ownerKey(flowid)]);
  if (!items) return undefined;
  const [flow, owner] = items;
  return { flow: flow && storedFlow.parse(flow), owner: owner && storedOwner.parse(owner) };
}

/** The live builds of flows, by the key of the flow's item, as they are now; at most `batchGetMax`. */
export async function readLiveIds(keys: readonly Key[]): Promise<Map<string, string>> {
  const items = await batchGet(controlTable, keys, {
    ConsistentRead: true,
    ProjectionExpression: 'pk, sk, live',
  });
  return new Map(
    items.flatMap(({ pk, sk, live }) => (live === undefined ? [] : [[`${pk} ${sk}`, String(live)] as const])),
  );
}

/**
 * The owner of a flowid and all workspaces that have it, or only those of one organisation. One call for each
 * megabyte.
 */
export async function readFlowEverywhere(
  flowid: string,
): Promise<{ owner: StoredOwner | undefined; flows: StoredFlow[] }> {
  const items = await queryAll(controlTable, {
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': flowPartition(flowid) },
    ConsistentRead: true,
  });
  const owner = items.find((item) => item.sk === 'OWNER');
  return {
    owner: owner && storedOwner.parse(owner),
    flows: items.filter((item) => item !== owner).map((item) => storedFlow.parse(item)),
  };
}

export interface RowQuery {
  readonly orgid: string;
  readonly workspaceid: string;
  readonly flowid: string;
  readonly status?: string | undefined;
  readonly build_no?: number | undefined;
  /** Stops when so many rows are found. */
  readonly limit: number;
}

/**
 * Builds of a flow, newest first, from an index that lags behind writes by moments. Filters are applied after
 * reading, so it reads on until the page is full.
 */
export async function queryRows(query: RowQuery): Promise<StoredRow[]> {
  const filters = (['status', 'build_no'] as const).filter((name) => query[name] !== undefined);
  const input = {
    IndexName: 'gsi2',
    KeyConditionExpression: '#pk = :pk',
    ...(filters.length > 0 && {
      FilterExpression: filters.map((name) => `#${name} = :${name}`).join(' AND '),
    }),
    ExpressionAttributeNames: {
      '#pk': 'gsi2pk',
      ...Object.fromEntries(filters.map((name) => [`#${name}`, name])),
    },
    ExpressionAttributeValues: {
      ':pk': flowIndex(query.orgid, query.workspaceid, query.flowid),
      ...Object.fromEntries(filters.map((name) => [`:${name}`, query[name]])),
    },
    ScanIndexForward: false,
  };
  const pages =
    filters.length > 0
      ? queryPages(controlTable, { ...input, Limit: filteredPageItems })
      : queryPages(controlTable, input, query.limit);
  const rows: StoredRow[] = [];
  for await (const items of pages) {
    rows.push(...items.map((item) => storedRow.parse(item)));
    if (rows.length >= query.limit) break;
  }
  return rows.slice(0, query.limit);
}

/** Items that one call reads, of which the filter keeps a few. */
const filteredPageItems = 200;
