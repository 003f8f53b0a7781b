// Registry rows written straight into the control table, for tests that need thousands of them.
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { BatchWriteCommand, DeleteCommand, DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import { requireEnv } from '#lib/env.ts';
import { newRegistryId } from '#lib/ids.ts';
import { flowIndex, rowKey, workspaceIndex } from '#lib/registry/keys.ts';
import { cardWithoutUrl } from '#lib/registry/published-card.ts';
import type { StoredRow } from '#lib/registry/stored.ts';
import { card } from './builders.ts';

const signature = { protected: '', signature: '' };

export const storedRow = (
  some: Partial<StoredRow> & Pick<StoredRow, 'orgid' | 'workspaceid'>,
): StoredRow => ({
  a2aregistryid: newRegistryId(),
  flowid: 'flow',
  build_no: 1,
  status: 'test',
  visibility: 'organization',
  card: JSON.stringify(cardWithoutUrl(card(), undefined)),
  signatures: { test: signature, live: signature },
  gateway_url: 'http://127.0.0.1',
  owns_live_url: true,
  tags: [],
  egress: [],
  payload_id: 'none',
  payload_chunks: 0,
  version: 1,
  created_at: new Date().toISOString(),
  updated_at: new Date().toISOString(),
  created_by: 'key',
  ...some,
});

const rowItem = (row: StoredRow) => ({
  ...rowKey(row.a2aregistryid),
  gsi1pk: workspaceIndex(row.orgid, row.workspaceid),
  gsi1sk: `${row.created_at}#${row.a2aregistryid}`,
  gsi2pk: flowIndex(row.orgid, row.workspaceid, row.flowid),
  gsi2sk: `${row.created_at}#${row.a2aregistryid}`,
  ...row,
});

export function rowWriter(endpoint: string) {
  const client = DynamoDBDocumentClient.from(new DynamoDBClient({ endpoint }));
  const TableName = requireEnv('CONTROL_TABLE');
  return {
    put: async (row: StoredRow) => await client.send(new PutCommand({ TableName, Item: rowItem(row) })),
    remove: async (row: StoredRow) =>
      await client.send(new DeleteCommand({ TableName, Key: rowKey(row.a2aregistryid) })),
    putMany: async (rows: readonly StoredRow[]) => {
      for (let n = 0; n < rows.length; n += 25) {
        const requests = rows.slice(n, n + 25).map((row) => ({ PutRequest: { Item: rowItem(row) } }));
        await client.send(new BatchWriteCommand({ RequestItems: { [TableName]: requests } }));
      }
    },
  };
}
