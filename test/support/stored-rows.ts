// Registry rows written straight into the control table, for tests that need thousands of them.
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { BatchWriteCommand, DeleteCommand, DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { requireEnv } from '#lib/env.ts';
import { newRegistryId } from '#lib/ids.ts';
import { cardWithoutUrl } from '#lib/registry/card/published-card.ts';
import { postingKeys, revise } from '#lib/registry/listing/postings.ts';
import { rowItem, rowKey } from '#lib/registry/row/row-items.ts';
import type { StoredRow } from '#lib/registry/row/stored-row.ts';

const card = {
  name: 'Echo',
  description: 'Says it.',
  skills: [{ id: 'echo', name: 'Echo', description: 'Repeats.' }],
};
const signature = { protected: '', signature: '' };

export function storedRow(some: Partial<StoredRow> & Pick<StoredRow, 'orgid' | 'workspaceid'>): StoredRow {
  const row: StoredRow = {
    a2aregistryid: newRegistryId(),
    flowid: 'flow',
    build_no: 1,
    status: 'test',
    visibility: 'organization',
    card: JSON.stringify(cardWithoutUrl(card, undefined)),
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
  };
  return { ...row, postings: revise({}, row).postings };
}

/** The row's item, and those it is found by. */
const toItems = (row: StoredRow): object[] => [...postingKeys(row, row.postings ?? {}), rowItem(row)];

const toPostings = (row: StoredRow) => postingKeys(row, revise({}, row).postings);

export function rowWriter(endpoint?: string) {
  const client = DynamoDBDocumentClient.from(new DynamoDBClient(endpoint === undefined ? {} : { endpoint }));
  const TableName = requireEnv('CONTROL_TABLE');
  const write = async (requests: readonly object[]) => {
    for (let n = 0; n < requests.length; n += 25)
      await client.send(new BatchWriteCommand({ RequestItems: { [TableName]: requests.slice(n, n + 25) } }));
  };
  const puts = (rows: readonly StoredRow[]) =>
    rows.flatMap(toItems).map((Item) => ({ PutRequest: { Item } }));
  return {
    /** As the product does: what it is found by, then the row. */
    put: async (row: StoredRow) => await write(puts([row])),
    putMany: async (rows: readonly StoredRow[]) => {
      // A few lanes at once: the engine has one core, this process the other.
      const lanes = Array.from({ length: 4 }, (_, lane) => rows.filter((_row, n) => n % 4 === lane));
      await Promise.all(lanes.map((lane) => write(puts(lane))));
    },
    /**
     * One version after the other, as an update does; it may die before it has removed what the row is found
     * by no more.
     */
    replace: async (before: StoredRow, after: StoredRow, isCrash = false) => {
      const { added, dropped, postings } = revise(before.postings ?? {}, after);
      const row = { ...after, postings };
      const items = [...postingKeys(row, added), rowItem(row)];
      await write(items.map((Item) => ({ PutRequest: { Item } })));
      if (!isCrash) await write(postingKeys(row, dropped).map((Key) => ({ DeleteRequest: { Key } })));
      return row;
    },
    /** What it would be found by, as by a process that dies before the row's transaction. */
    putPostings: async (row: StoredRow) =>
      await write(toPostings(row).map((Item) => ({ PutRequest: { Item } }))),
    /** Without what it is found by, as when a process dies after the deletion. */
    remove: async (row: StoredRow) =>
      await client.send(new DeleteCommand({ TableName, Key: rowKey(row.a2aregistryid) })),
  };
}
