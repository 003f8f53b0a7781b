// Reads of the registry's items in the control table. No rule about who may see what; the writes are in `change/store.ts`.
import { GetCommand, QueryCommand, TransactGetCommand } from '@aws-sdk/lib-dynamodb';
import { conflictReasons } from '#lib/aws-errors.ts';
import { documents, queryAll } from '#lib/dynamo/client.ts';
import { requireEnv } from '#lib/env.ts';
import * as keys from './keys.ts';
import {
  type StoredFlow,
  type StoredOwner,
  type StoredRow,
  storedFlow,
  storedOwner,
  storedRow,
} from './stored-row.ts';

const TableName = () => requireEnv('CONTROL_TABLE');

export async function readRow(id: string): Promise<StoredRow | undefined> {
  const { Item } = await documents.send(
    new GetCommand({ TableName: TableName(), Key: keys.rowKey(id), ConsistentRead: true }),
  );
  return Item && storedRow.parse(Item);
}

export async function readFlow(
  flowid: string,
  orgid: string,
  workspaceid: string,
): Promise<StoredFlow | undefined> {
  const Key = keys.flowKey(flowid, orgid, workspaceid);
  const { Item } = await documents.send(
    new GetCommand({ TableName: TableName(), Key, ConsistentRead: true }),
  );
  return Item && storedFlow.parse(Item);
}

/** What a new build must know: the flow in its workspace, and who owns the short live URL. One call; undefined when a transaction is in the way. */
export async function readFlowAndOwner(flowid: string, orgid: string, workspaceid: string) {
  const Keys = [keys.flowKey(flowid, orgid, workspaceid), keys.ownerKey(flowid)];
  const TransactItems = Keys.map((Key) => ({ Get: { TableName: TableName(), Key } }));
  try {
    const { Responses } = await documents.send(new TransactGetCommand({ TransactItems }));
    const [flow, owner] = Responses ?? [];
    return {
      flow: flow?.Item && storedFlow.parse(flow.Item),
      owner: owner?.Item && storedOwner.parse(owner.Item),
    };
  } catch (error) {
    if (conflictReasons(error)) return undefined;
    throw error;
  }
}

/** The owner of a flowid and all workspaces that have it, or only those of one organisation. One call for each megabyte. */
export async function readFlowEverywhere(
  flowid: string,
): Promise<{ owner: StoredOwner | undefined; flows: StoredFlow[] }> {
  const items = await queryAll({
    TableName: TableName(),
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

/** Builds of a flow, newest first, from an index that lags behind writes by moments. Filters are applied after reading, so it reads on until the page is full. */
export async function queryRows(query: RowQuery): Promise<StoredRow[]> {
  const partition = keys.flowIndex(query.orgid, query.workspaceid, query.flowid);
  const filters = (['status', 'build_no'] as const).filter((name) => query[name] !== undefined);
  const rows: StoredRow[] = [];
  let start: Record<string, unknown> | undefined;
  do {
    const { Items = [], LastEvaluatedKey } = await documents.send(
      new QueryCommand({
        TableName: TableName(),
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
          ':pk': partition,
          ...Object.fromEntries(filters.map((name) => [`:${name}`, query[name]])),
        },
        ScanIndexForward: false,
        Limit: filters.length > 0 ? 200 : query.limit - rows.length,
        ExclusiveStartKey: start,
      }),
    );
    rows.push(...Items.map((item) => storedRow.parse(item)));
    start = LastEvaluatedKey;
  } while (start && rows.length < query.limit);
  return rows.slice(0, query.limit);
}
