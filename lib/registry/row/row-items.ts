// Reads of the registry's items in the control table. No rule about who may see what; the writes are in
// `change-items.ts`.
import { batchGet } from '#lib/dynamo/batch.ts';
import { controlTable } from '#lib/dynamo/client.ts';
import { getItem } from '#lib/dynamo/items.ts';
import { queryAll, queryPages } from '#lib/dynamo/query.ts';
import { transactGet } from '#lib/dynamo/transactions.ts';
import * as keys from './keys.ts';
import {
  type StoredFlow,
  type StoredOwner,
  type StoredRow,
  storedFlow,
  storedOwner,
  storedRow,
} from './stored-row.ts';

export async function readRow(id: string): Promise<StoredRow | undefined> {
  const item = await getItem(controlTable, keys.rowKey(id));
  return item && storedRow.parse(item);
}

/** The rows that exist, by id, as they are now; at most `batchGetMax`. */
export async function readRows(ids: readonly string[]): Promise<Map<string, StoredRow>> {
  const items = await batchGet(controlTable, ids.map(keys.rowKey), { ConsistentRead: true });
  const rows = items.map((item) => storedRow.parse(item));
  return new Map(rows.map((row) => [row.a2aregistryid, row]));
}

export async function readFlow(
  flowid: string,
  orgid: string,
  workspaceid: string,
): Promise<StoredFlow | undefined> {
  const item = await getItem(controlTable, keys.flowKey(flowid, orgid, workspaceid));
  return item && storedFlow.parse(item);
}

/**
 * What a new build must know: the flow in its workspace, and who owns the short live URL. One call; undefined
 * when it meets a transaction.
 */
export async function readFlowAndOwner(flowid: string, orgid: string, workspaceid: string) {
  const items = await transactGet(controlTable, [
    keys.flowKey(flowid, orgid, workspaceid),
    keys.ownerKey(flowid),
  ]);
  if (!items) return undefined;
  const [flow, owner] = items;
  return { flow: flow && storedFlow.parse(flow), owner: owner && storedOwner.parse(owner) };
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
    ExpressionAttributeValues: { ':pk': keys.flowPartition(flowid) },
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
      ':pk': keys.flowIndex(query.orgid, query.workspaceid, query.flowid),
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
