// Reads for discovery: search documents by partition, and rows by id. No rule about who may see what.
import {
  BatchGetCommand,
  type BatchGetCommandInput,
  type BatchGetCommandOutput,
  QueryCommand,
  type QueryCommandInput,
} from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { requireEnv } from '#lib/env.ts';
import { documents } from '#lib/store.ts';
import { rowKey } from '../keys.ts';
import { type StoredRow, storedRow } from '../stored.ts';
import { type SearchDocument, searchDocument } from './document.ts';

const TableName = () => requireEnv('CONTROL_TABLE');
const placed = searchDocument.extend({ sk: z.string() });

export interface PlacedDocument {
  readonly key: string;
  readonly document: SearchDocument;
}

/** All documents of a partition. One call per 1 MB. */
export async function readDocuments(partition: string): Promise<PlacedDocument[]> {
  return await query({
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': partition },
    ConsistentRead: true,
  });
}

/** Those written since a time (RFC 3339), from an index that lags behind writes by moments. */
export async function readDocumentsSince(partition: string, since: string): Promise<PlacedDocument[]> {
  return await query({
    IndexName: 'gsi1',
    KeyConditionExpression: 'gsi1pk = :pk AND gsi1sk >= :since',
    ExpressionAttributeValues: { ':pk': partition, ':since': since },
  });
}

async function query(input: Omit<QueryCommandInput, 'TableName'>): Promise<PlacedDocument[]> {
  const found: PlacedDocument[] = [];
  let start: Record<string, unknown> | undefined;
  do {
    const page = await documents.send(
      new QueryCommand({ TableName: TableName(), ...input, ExclusiveStartKey: start }),
    );
    for (const item of page.Items ?? []) {
      const { sk, ...document } = placed.parse(item);
      found.push({ key: sk, document });
    }
    start = page.LastEvaluatedKey;
  } while (start);
  return found;
}

/** The rows that exist, by id; at most 100. DynamoDB may leave part of a batch undone: that part is asked for again. */
export async function readRows(ids: readonly string[]): Promise<Map<string, StoredRow>> {
  const rows = new Map<string, StoredRow>();
  let pending: BatchGetCommandInput['RequestItems'] = {
    [TableName()]: { Keys: ids.map(rowKey), ConsistentRead: true },
  };
  for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
    const answer: BatchGetCommandOutput = await documents.send(
      new BatchGetCommand({ RequestItems: pending }),
    );
    const { Responses = {}, UnprocessedKeys = {} } = answer;
    for (const item of Responses[TableName()] ?? []) {
      const row = storedRow.parse(item);
      rows.set(row.a2aregistryid, row);
    }
    if (Object.keys(UnprocessedKeys).length === 0) return rows;
    pending = UnprocessedKeys;
  }
  throw Object.assign(new Error('DynamoDB left part of a batch undone.'), { name: 'ThrottlingException' });
}

/** 16 MB fit into one answer: 100 rows of the largest kind take two or three. */
const attemptsMax = 8;
