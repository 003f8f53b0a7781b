// Reads for discovery: search documents by partition. No rule about who may see what.
import type { QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { queryAll } from '#lib/dynamo/client.ts';
import { requireEnv } from '#lib/env.ts';
import { type SearchDocument, searchDocument } from '#lib/registry/search-index/document.ts';

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
  const items = await queryAll({ TableName: TableName(), ...input });
  return items.map((item) => {
    const { sk, ...document } = placed.parse(item);
    return { key: sk, document };
  });
}
